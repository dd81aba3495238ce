"""Run a student's answer on cases that come as data, and write what it returns as data.

    python -I answering.py FOLDER … < task.json > results

This is the only file of the grader that runs in the sandbox, as a program of its own; the folders have
pe_helpers and the grader's values.py. The task knows no right result. Each line of the results is a JSON
object: {"case": 0, "value": …}, {"case": 0, "error": …}, {"case": 0, "blank": true} where the dots are left,
{"case": 0, "nothing": true} for None or {"case": 0, "other": …}, or {"problem": …} where there is nothing to
call. All of it may be forged by the answer: it is a claim about what the answer returns, and no more.
"""

import ast
import builtins
import codeop
import json
import os
import re
import symtable
import sys
from contextlib import suppress
from itertools import chain


class Statement:
    """A statement of a cell: `stores` are the names that it makes or changes, `loads` those that it reads.

    assigns: those that are no module and no function. changes: what running it, or calling the function that
        it defines, may change besides: `found` for `if x: found.append(1)`. given: (function, name) for each
        name that it hands to a function.
    """

    def __init__(self, node, is_whole=False, is_own=False):
        self.node, self.is_whole, self.is_own = node, is_whole, is_own
        is_definition = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        self.defined = node.name if is_definition else None
        table = symtable.symtable(ast.unparse(node), "<cell>", "exec")
        symbols = table.get_symbols()
        self.assigns = {one.get_name() for one in symbols if one.is_assigned()} - {self.defined}
        self.stores = {one.get_name() for one in symbols if one.is_assigned() or one.is_imported()}
        self.loads = {one.get_name() for one in symbols if one.is_referenced()} | outer_names(table)
        self.loads -= loop_names(node)
        self.changes, self.calls, self.given = set(), set(), set()
        for part in ast.walk(node):
            if isinstance(part, ast.Subscript | ast.Attribute) and isinstance(part.ctx, ast.Store):
                self.stores.add(base_of(part))
                self.changes.add(base_of(part))
            elif isinstance(part, ast.Global):
                self.assigns.update(part.names)
                self.changes.update(part.names)
            elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
                self.changes.add(base_of(part.func))
            elif isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
                values = [*part.args, *(keyword.value for keyword in part.keywords)]
                self.calls.add(part.func.id)
                self.given.update((part.func.id, base_of(value)) for value in values)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):  # `found.append(1)`
            self.stores.add(base_of(node.value.func) if isinstance(node.value.func, ast.Attribute) else None)

    def run(self, names, compiled=compile):
        exec(compiled(ast.Module([self.node], []), "<cell>", "exec"), names)


def outer_names(table):
    """The names that the functions and classes in a piece of code take from outside."""
    inside = table.get_children()
    own = {one.get_name() for part in inside for one in part.get_symbols() if one.is_global()}
    return own.union(*map(outer_names, inside))


def loop_names(node):
    """The names that a statement reads in loops over them and nowhere else: it needs no others of that name.

    >>> loop_names(ast.parse("for k in range(3): print(k)").body[0])
    {'k'}
    """
    inside, names = set(), set()
    for loop in (part for part in ast.walk(node) if isinstance(part, ast.For)):
        targets = {part.id for part in ast.walk(loop.target) if isinstance(part, ast.Name)}
        names |= targets
        inside |= {part for line in loop.body for part in ast.walk(line) if read(part) in targets}
    return names - {read(part) for part in ast.walk(node) if part not in inside}


def read(node):
    """The name that this node reads; None if it reads none."""
    return node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) else None


def base_of(node):
    """The name that `name[0].part` begins with; None if it begins with none."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def statements(source, is_whole=False, is_own=False):
    """The Statements of a cell, without IPython's magic where there is any; raises SyntaxError."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        tree = without_magic(source)
    return [Statement(node, is_whole, is_own) for node in tree.body]


def without_magic(source):
    """The tree of a cell that has IPython's magic; raises SyntaxError.

    >>> ast.unparse(without_magic("%time one = 1"))
    'one = 1'
    >>> ast.unparse(without_magic("files = !ls"))
    'files = None'
    """
    from IPython.core.inputtransformer2 import TransformerManager

    # all magic becomes `get_ipython().run_line_magic("time", "one = 1")` or another method
    tree = ast.parse(TransformerManager().transform_cell(source))
    return ast.fix_missing_locations(Magic().visit(tree))


class Magic(ast.NodeTransformer):
    """Puts the code that magic times or captures in its place, and nothing in the place of other magic."""

    def visit_Expr(self, node):
        if is_magic(node.value):
            with suppress(SyntaxError, ValueError):
                return code_in(node.value) or ast.Pass()
        return self.generic_visit(node)

    def visit_Call(self, node):
        return ast.Constant(None) if is_magic(node) else self.generic_visit(node)


def is_magic(node):
    """Whether a node calls a method of `get_ipython()`."""
    return isinstance(node, ast.Call) and ast.unparse(node.func).startswith("get_ipython().")


def code_in(call):
    """The nodes of the code that magic runs in the notebook: all of a cell, or what `%time` stands before."""
    name, *_, source = [ast.literal_eval(value) for value in call.args] or [""]
    if call.func.attr == "run_cell_magic":
        return without_magic(source).body
    return ast.parse(source).body if name == "time" else []


def is_for_all(statement):
    """Whether a statement is about names that it does not tell: `from math import *`."""
    node = statement.node
    return isinstance(node, ast.ImportFrom) and (node.module == "__future__" or node.names[0].name == "*")


def made(every):
    """The names that each of these statements makes or changes; own ones change own variables by calls, too.

    What calls in the course may change is left out: they are many, and what its solutions need is known.
    """
    variables = set().union(*(one.assigns for one in every if one.is_own))
    functions, found = {}, []  # {its name: what calling it may change}
    for one in every:
        changes = one.changes.union(*(functions.get(name, ()) for name in one.calls))
        changes |= {name for function, name in one.given if function in functions}
        if one.is_own and one.defined:
            functions[one.defined] = changes
        is_more = one.is_own and not one.defined
        found.append(one.stores | changes & variables if is_more else one.stores)
    return found


def needed(every, wanted):
    """Of these statements those that are to run whole, and those that they or the wanted names need."""
    chosen, wanted, makes = [], set(wanted) - {None}, made(every)
    while True:
        before = len(chosen)
        chosen = [
            one
            for one, names in zip(every, makes, strict=True)
            if one.is_whole or is_for_all(one) or names & wanted
        ]
        if len(chosen) == before:
            return chosen
        wanted = wanted.union(*(one.loads for one in chosen)) - {None}


def read_first(every):
    """The names that these statements read before one of them assigns to the whole name.

    >>> sorted(read_first(statements("a = b\\nprint(a, c)\\nc = 1")))
    ['b', 'c', 'print']
    """
    names, fresh = set(), set()
    for one in every:
        names |= one.loads - fresh
        fresh |= one.assigns if isinstance(one.node, ast.Assign) else set()
    return names


def addresses():
    """Bytes of addresses that this process uses, where this is Linux."""
    if sys.platform != "linux":
        return 0
    import resource

    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def bound(most=None):
    """Bound the addresses of this process for a while, where this is Linux; None: no more."""
    if sys.platform != "linux":
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard if most is None else lower(most, hard), hard))


def lower(most, hard):
    """The lower of a limit and the one that holds already, which is -1 where there is none."""
    return most if hard < 0 else min(most, hard)


def limit(seconds, memory, results, threads):
    """Bound what this process may use from now on, where this is Linux.

    memory: bytes, more than it has now. results: bytes of a file that it writes. threads: of its
        user here; None: not bounded.
    """
    if sys.platform != "linux":
        return
    import resource

    most = {
        resource.RLIMIT_AS: addresses() + memory,
        resource.RLIMIT_CPU: seconds,
        resource.RLIMIT_FSIZE: results,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: 64,
    }
    if threads is not None:
        most[resource.RLIMIT_NPROC] = threads
    for what, value in most.items():
        value = lower(value, resource.getrlimit(what)[1])
        resource.setrlimit(what, (value, value))


def imports_torch(node):
    """Whether a statement imports torch, or the course's models, which do."""
    found = [one for one in ast.walk(node) if isinstance(one, ast.Import | ast.ImportFrom)]
    return any(re.search("torch|models", ast.unparse(one)) for one in found)


def defined(task):
    """(the names that the answer's cells leave, what went wrong on the way or None)."""
    course = [one for source in task["course"] for one in statements(source)]
    cells, fault, before = [], None, addresses()
    bound(before + task["memory"])
    for cell in task["own"]:
        try:
            cells.append(statements(cell["source"], cell["is_answer"] or task["is_whole"], is_own=True))
        except Exception as error:  # SyntaxError, or one of many where a cell is odd
            fault = error if cell["is_answer"] else fault
    own = list(chain(*cells))
    wanted = {task["function"], *task["functions"]}
    own = [one for one in needed([*course, *own], wanted) if one.is_own]
    chosen = {*own, *needed(course, wanted | read_first(own))}
    parsed = addresses() - before
    bound()
    names = {"__name__": "__main__", "__builtins__": builtins}
    for one in course:
        with suppress(Exception):  # more may be chosen than the answer needs
            if one in chosen:
                one.run(names)
    if any(imports_torch(one.node) for one in own):
        import torch  # noqa: F401  # before the limit: it takes gigabytes of addresses
    limit(task["seconds"], max(0, task["memory"] - parsed), task["results"], task["threads"])
    compiled = codeop.Compile()  # `from __future__ import annotations` holds for what follows
    for cell in cells:
        for one in cell:
            try:
                if one in chosen:
                    one.run(names, compiled)
            except BaseException as error:  # what it would have defined is missing, and that is said below
                fault = fault or error
                if task["is_whole"]:
                    break
    return names, fault


def answer(task, say):
    """Define the answer of the task and call it with every case; what comes is handed to `say`."""
    from values import packed_result, unpacked

    from pe_helpers.exercises import _brief, _numbers

    names, fault = defined(task)
    function = names.get(task["function"])
    why = f"{type(fault).__name__}: {fault}"[:400] if fault else ""
    if isinstance(fault, SyntaxError):
        why += f" (in Python {sys.version_info.major}.{sys.version_info.minor})"
    if function is None:
        return say({"problem": f"No cell defines `{task['function']}`. {why}".strip()})
    if not callable(function):
        return say({"problem": f"This must be a function; it is {_brief(function)}."})
    for number, case in enumerate(task["cases"]):
        try:
            result = function(*(unpacked(value, names.__getitem__) for value in case))
            if result is None or result is ...:
                said = {"blank" if result is ... else "nothing": True}
            else:
                array = _numbers(result)
                said = {"other": _brief(result)} if array is None else {"value": packed_result(array)}
        except BaseException as error:  # SystemExit and KeyboardInterrupt, too
            before = f"; before that, {why}" if why else ""
            said = {"error": [type(error).__name__, f"{_brief(str(error))}{before}"]}
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
