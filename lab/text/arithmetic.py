"""Arithmetic that somebody wrote: `16 / 0.020`, `right * 4`."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def value(expression: str, **names: float) -> float:
    """Return what an expression of numbers, these names and + - * / ** makes.

    Raises ValueError for anything else, ZeroDivisionError for a division by nothing.
    """

    def of(node: ast.expr) -> float:
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return node.value  # type: ignore[return-value]
        if isinstance(node, ast.Name) and node.id in names:
            return names[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -of(node.operand)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            left, right = of(node.left), of(node.right)
            if isinstance(node.op, ast.Pow) and abs(right) > 100:
                raise ValueError("that power is too large")
            made = OPERATORS[type(node.op)](left, right)
            if isinstance(made, complex):  # the root of a negative number
                raise ValueError(f"{expression!r} does not give a real number")
            return float(made)
        raise ValueError(f"{expression!r} is not arithmetic")

    try:
        parsed = ast.parse(expression.strip(), mode="eval")
    except SyntaxError:
        raise ValueError(f"{expression!r} is not arithmetic") from None
    return of(parsed.body)
