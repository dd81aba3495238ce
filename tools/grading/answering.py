"""Run a student's answer on cases that come as data, and write what it returns as data.

    python -I answering.py FOLDER … < task.json > results

This is the only file of the grader that runs in the sandbox, as a program of its own; the folders have
pe_helpers and the grader's values.py. The task knows no right result. Each line of the results is a JSON
object: {"case": 0, "value": …}, {"case": 0, "error": …}, {"case": 0, "nothing": true} or {"case": 0,
"other": …}, or {"problem": …} where there is nothing to call. All of it may be forged by the answer: it is a
claim about what the answer returns, and no more.
"""

import ast
import builtins
import json
import os
import re
import symtable
import sys
from contextlib import suppress

MAGIC = re.compile(r"^(\s*)[%!].*$", re.M)


class Statement:
    """A statement of a cell: `stores` are the names that it makes or changes, `loads` those that it reads."""

    def __init__(self, node, is_whole=False):
        self.node, self.is_whole = node, is_whole
        table = symtable.symtable(ast.unparse(node), "<cell>", "exec")
        symbols = table.get_symbols()
        self.stores = {one.get_name() for one in symbols if one.is_assigned() or one.is_imported()}
        self.loads = {one.get_name() for one in symbols if one.is_referenced()} | outer_names(table)
        for part in ast.walk(node):
            if isinstance(part, ast.Subscript | ast.Attribute) and isinstance(part.ctx, ast.Store):
                self.stores.add(base_of(part))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):  # `found.append(1)`
            self.stores.add(base_of(node.value.func) if isinstance(node.value.func, ast.Attribute) else None)

    def run(self, names):
        exec(compile(ast.Module([self.node], []), "<cell>", "exec"), names)


def outer_names(table):
    """The names that the functions and classes in a piece of code take from outside."""
    inside = table.get_children()
    own = {one.get_name() for part in inside for one in part.get_symbols() if one.is_global()}
    return own.union(*map(outer_names, inside))


def base_of(node):
    """The name that `name[0].part` begins with; None if it begins with none."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def statements(source, is_whole=False):
    """The Statements of a cell, without IPython's magic where there is any; raises SyntaxError."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        tree = ast.parse(MAGIC.sub(r"\1pass", source))
    return [Statement(node, is_whole) for node in tree.body]


def is_star(statement):
    return isinstance(statement.node, ast.ImportFrom) and statement.node.names[0].name == "*"


def needed(every, wanted):
    """Of these statements those that are to run whole, and those that they or the wanted names need."""
    chosen, wanted = [], set(wanted) - {None}
    while True:
        before = len(chosen)
        chosen = [one for one in every if one.is_whole or is_star(one) or one.stores & wanted]
        if len(chosen) == before:
            return chosen
        wanted = wanted.union(*(one.loads for one in chosen))


def limit(seconds, memory, results):
    """Bound what this process may use from now on, where this is Linux.

    memory: bytes, more than it has now. results: bytes of a file that it writes.
    """
    if sys.platform != "linux":
        return
    import resource

    with open("/proc/self/statm") as file:
        has = int(file.read().split()[0]) * resource.getpagesize()
    most = {
        resource.RLIMIT_AS: has + memory,
        resource.RLIMIT_CPU: seconds,
        resource.RLIMIT_FSIZE: results,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: 64,
    }
    for what, value in most.items():
        resource.setrlimit(what, (value, value))


def defined(task):
    """(the names that the answer's cells leave, what went wrong on the way or None)."""
    course = [one for source in task["course"] for one in statements(source)]
    own, fault = [], None
    for cell in task["own"]:
        try:
            own += statements(cell["source"], cell["is_answer"])
        except SyntaxError as error:
            fault = error if cell["is_answer"] else fault
    chosen = set(needed([*course, *own], [task["function"], *task["functions"]]))
    names = {"__name__": "__main__", "__builtins__": builtins}
    for one in course:
        with suppress(Exception):  # more may be chosen than the answer needs
            if one in chosen:
                one.run(names)
    if any(re.search("torch|models", cell["source"]) for cell in task["own"]):
        import torch  # noqa: F401  # before the limit: it takes gigabytes of addresses
    limit(task["seconds"], task["memory"], task["results"])
    for one in own:
        try:
            if one in chosen:
                one.run(names)
        except BaseException as error:  # what it would have defined is missing, and that is said below
            fault = fault or error
    return names, fault


def answer(task, say):
    """Define the answer of the task and call it with every case; what comes is handed to `say`."""
    from values import packed_result, unpacked

    from pe_helpers.exercises import _brief, _numbers

    names, fault = defined(task)
    function = names.get(task["function"])
    if function is None:
        why = f" {type(fault).__name__}: {fault}" if fault else ""
        return say({"problem": f"No cell defines `{task['function']}`.{why}"[:500]})
    if not callable(function):
        return say({"problem": f"This must be a function; it is {_brief(function)}."})
    for number, case in enumerate(task["cases"]):
        try:
            result = function(*(unpacked(value, names.__getitem__) for value in case))
            if result is None or result is ...:
                said = {"nothing": True}
            else:
                array = _numbers(result)
                said = {"other": _brief(result)} if array is None else {"value": packed_result(array)}
        except BaseException as error:  # SystemExit and KeyboardInterrupt, too
            said = {"error": [type(error).__name__, _brief(str(error))]}
        say({"case": number} | said)
    return None


def main():
    sys.path[:0] = sys.argv[1:]
    results = os.fdopen(os.dup(1), "w", encoding="ascii")
    nowhere = os.open(os.devnull, os.O_RDWR)
    task = json.load(sys.stdin)
    for descriptor in range(3):
        os.dup2(nowhere, descriptor)

    def say(line):
        results.write(json.dumps(line) + "\n")
        results.flush()

    answer(task, say)
    os._exit(0)  # nothing runs at exit


if __name__ == "__main__":
    main()
