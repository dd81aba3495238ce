"""A class on one machine: a kernel for every student, with a notebook run to its end.

    python -m benchmarks.classroom [--students 30] [--notebook notebooks/07_….ipynb]

Memory a student is the proportional set size (PSS): what only this process has, and its share of the pages
that it has in common with others, such as libraries and the memory-mapped word vectors. It is measured
twice: as the notebook leaves the kernel, and after `import torch` where the notebook has not done that.

Then some students move a slider at once. A step goes the way of the page: a message to the slider's
widget over the kernel's socket and a request to the picture's, timed until the picture has sent its frame
and the kernel has said that it is idle. The server and the page are not part of it;
benchmarks/live_browser.py has these.
Needs Linux.
"""

import argparse
import json
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import numpy as np
from jupyter_client.manager import start_new_kernel

from tools.course import ROOT

NOTEBOOK = ROOT / "notebooks" / "07_words_and_positions.ipynb"
FIND_FIGURE = """
import gc
import json
from ipywidgets import FloatLogSlider, FloatSlider, IntSlider
from pe_helpers.figures import LiveFigure
figures = [thing for thing in gc.get_objects() if type(thing) is LiveFigure]
sliders = [(figure, control) for figure in figures for control in figure.controls.values()
           if isinstance(control, FloatLogSlider | FloatSlider | IntSlider)]
figure, control = sliders[0]
low, high = control.min, control.max
if isinstance(control, FloatLogSlider):
    low, high = control.base ** low, control.base ** high
kind = int if isinstance(control, IntSlider) else float
values = {name: getattr(each, "index", each.value) for name, each in figure.controls.items()}
name = next(name for name, each in figure.controls.items() if each is control)
print(json.dumps([control.comm.comm_id, figure.picture.comm.comm_id, name, values, kind.__name__, low, high]))
"""


def memory(process):
    """PSS in MB."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) / 1000 * 1.024 for line in lines if line.startswith("Pss:"))


class Student:
    """A kernel in the folder of the notebooks."""

    def __init__(self):
        self.manager, self.client = start_new_kernel(cwd=str(ROOT / "notebooks"))

    def run_notebook(self, notebook):
        """Run all its code cells, and let the page draw; raises RuntimeError where one fails."""
        self.run("from live_figures import draw_in; draw_in('page')")
        for cell in nbformat.read(notebook, as_version=4).cells:
            if cell.cell_type == "code":
                self.run(cell.source)

    def run(self, code):
        """What the code prints; raises RuntimeError where it fails."""
        printed = []

        def keep(message):
            if message["msg_type"] == "stream":
                printed.append(message["content"]["text"])

        reply = self.client.execute_interactive(code, timeout=300, output_hook=keep)["content"]
        if reply["status"] != "ok":
            raise RuntimeError("\n".join(reply["traceback"]))
        return "".join(printed)

    def has_torch(self):
        return self.run("import sys; print('torch' in sys.modules)").strip() == "True"

    def find_slider(self):
        """Choose the first slider of the first live figure that has one."""
        found = json.loads(self.run(FIND_FIGURE))
        self.slider, self.picture, self.name, self.setting, kind, low, high = found
        self.values = np.linspace(float(low), float(high), 41).astype(kind)
        self.values = self.values[np.insert(np.diff(self.values) != 0, 0, True)]

    def move(self, value):
        """Seconds from this step of the slider until its picture was sent and the kernel said it is idle."""
        values = self.setting | {self.name: value}
        request = {"id": 1, "client": "a page", "values": values, "prefetch": False, "anew": False}
        asked = {"comm_id": self.picture, "data": {"method": "custom", "content": request}}
        moved = {"comm_id": self.slider, "data": {"method": "update", "state": {"value": value}}}
        start = time.perf_counter()
        self.client.shell_channel.send(self.client.session.msg("comm_msg", moved))
        message = self.client.session.msg("comm_msg", asked)
        self.client.shell_channel.send(message)
        has_picture = is_idle = False
        while not (has_picture and is_idle):
            answer = self.client.get_iopub_msg(timeout=60)
            if answer["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                continue
            content = answer["content"].get("data", {}).get("content", {})
            has_picture |= answer["content"].get("comm_id") == self.picture and "frame" in content
            is_idle |= answer["content"].get("execution_state") == "idle"
        return time.perf_counter() - start

    def leave(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


def move_at_once(students, steps, pause=0.03):
    """Seconds of each step of all these students, who drag their sliders at the same time."""

    def drag(student):
        took = []
        for step in range(steps):
            value = student.values[1 + step % (len(student.values) - 1)]
            took.append(student.move(value.item()))
            time.sleep(pause)
        return took

    with ThreadPoolExecutor(len(students)) as pool:
        return [seconds for took in pool.map(drag, students) for seconds in took]


def report_memory(students, when):
    each = [memory(student.manager.provisioner.pid) for student in students]
    middle, most, total = statistics.median(each), max(each), sum(each) / 1000
    print(f"{when}: {middle:.0f} MB a student (at most {most:.0f}), {total:.2f} GB in all")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--students", type=int, default=30)
    parser.add_argument("--moving", type=int, default=3, help="how many move a slider at once")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--notebook", type=Path, default=NOTEBOOK)
    arguments = parser.parse_args()
    students = []
    try:
        for _ in range(arguments.students):
            students.append(Student())
            students[-1].run_notebook(arguments.notebook)
        needs_torch = students[0].has_torch()
        print(f"{len(students)} kernels, {arguments.notebook.name} run to its end")
        report_memory(students, "with torch, which the notebook imports" if needs_torch else "without torch")
        for moving in (1, min(arguments.moving, len(students))):
            for student in students[:moving]:
                student.find_slider()
            seconds = move_at_once(students[:moving], arguments.steps)
            middle, late = (1000 * np.percentile(seconds, share) for share in (50, 95))
            print(f"{moving} moving a slider: p50 {middle:.0f} ms, p95 {late:.0f} ms")
        if not needs_torch:
            for student in students:
                student.run("import torch")
            report_memory(students, "after import torch")
    finally:
        for student in students:
            student.leave()


if __name__ == "__main__":
    main()
