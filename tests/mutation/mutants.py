"""Small mistakes in the text of a module: one operator, constant or term at a time."""

import ast
import copy
from typing import NamedTuple

# Nobody would notice these: they are read by people, by type checkers, or not at all.
UNREAD = (
    ast.AnnAssign,
    ast.Raise,
    ast.Assert,
    ast.Import,
    ast.ImportFrom,
    ast.JoinedStr,
)
PAIRS = (
    *((ast.Add, ast.Sub), (ast.Mult, ast.Div), (ast.BitAnd, ast.BitOr)),
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.And, ast.Or)),
    *((ast.Is, ast.IsNot), (ast.In, ast.NotIn)),
)
OTHER = {one: other for pair in PAIRS for one, other in (pair, pair[::-1])}
OTHER |= {ast.Pow: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv}
NAMES = {"min": "max", "minimum": "maximum", "argmin": "argmax", "any": "all"}
NAMES |= {other: name for name, other in NAMES.items()}


class Mutant(NamedTuple):
    """Where a module differs, and how."""

    line: int
    start: int  # in characters, from the beginning of the module
    end: int
    wrong: str
    right: str

    def applied(self, text):
        return text[: self.start] + self.wrong + text[self.end :]


def mutants(text):
    """All mutants of a module, in the order of its lines."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    raw, found = text.encode(), []
    for node in _read(ast.parse(text)):
        for wrong in _wrongs(node):
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            right = raw[start:end].decode()
            place = len(raw[:start].decode())
            new = f"({ast.unparse(wrong)})"
            found.append(Mutant(node.lineno, place, place + len(right), new, right))
    return sorted(found)


def _read(node):
    """The expressions that are run, without texts and types."""
    if isinstance(node, UNREAD) or _is_text(node):
        if not isinstance(node, ast.AnnAssign) or node.value is None:
            return
        yield from _read(node.value)  # a default of a field or parameter
        return
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns", "decorator_list"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _read(child)


def _is_text(node):
    return isinstance(node, ast.Constant | ast.Expr) and isinstance(
        getattr(node, "value", None), str | bytes | ast.Constant
    )


def _wrongs(node):
    """What somebody might have written instead."""
    wrong = copy.deepcopy(node)
    match node:
        case ast.BinOp(op=op) if type(op) in OTHER and not _of_texts(node):
            yield _with(wrong, op=OTHER[type(op)]())
            if isinstance(op, ast.Add | ast.Sub):
                yield node.left  # a term is forgotten
        case ast.Compare(ops=[op]):
            if type(op) in OTHER:
                yield _with(wrong, ops=[OTHER[type(op)]()])
        case ast.BoolOp(op=op):
            yield _with(wrong, op=OTHER[type(op)]())
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield operand
        case ast.Constant(value=bool() as value):
            yield _with(wrong, value=not value)
        case ast.Constant(value=int() as value):
            yield _with(wrong, value=value + 1 if value < 10 else 2 * value)
        case ast.Constant(value=float() as value):
            yield _with(wrong, value=2.0 * value if value else 1.0)
        case ast.Attribute(attr=name) if name in NAMES:
            yield _with(wrong, attr=NAMES[name])
        case ast.Name(id=name) if name in NAMES:
            yield _with(wrong, id=NAMES[name])


def _with(node, **changed):
    for name, value in changed.items():
        setattr(node, name, value)
    return node


def _of_texts(node):
    """Whether operands are texts or, with a bar between them, types."""
    sides = node.left, node.right
    texts = any(isinstance(side, ast.JoinedStr) or _is_text(side) for side in sides)
    return texts or "None" in map(ast.unparse, sides)
