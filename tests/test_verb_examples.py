"""The docstring of each public verb shows three calls, and each call fits the verb's signature."""

import ast
import inspect
import re
import types

import pytest

import lab
from lab.servers.recipe import Recipe

MODULES = ("predict", "stats", "plot", "explore", "files")
PLOTS = [name for name in lab.plot.__all__ if inspect.isfunction(getattr(lab.plot, name))]
VERBS = [
    *(name for name in lab.__all__ if name not in (*MODULES, "LabError")),
    *MODULES,
    *(f"plot.{name}" for name in PLOTS),
]
PURE = ("lab.predict.", "lab.stats.", "lab.files.content")


def named(name):
    thing = lab
    for part in name.split("."):
        thing = getattr(thing, part)
    return thing


def examples(docstring):
    """[(expression, effect)]: the calls that a docstring shows, and the words that follow each.

    An example begins with `lab.` at the start of its line. Deeper lines belong to it.
    """
    blocks = re.finditer(r"^( *)(?:with )?(lab\.[\w.]+\(.*(?:\n\1 +.+)*)", docstring, re.M)
    return [example(block[2]) for block in blocks]


def example(block):
    ends = [i for i, letter in enumerate(block) if letter == ")"]
    for end in ends:
        try:
            ast.parse(re.sub(r"\n +", " ", block[: end + 1]))
        except SyntaxError:
            continue
        attribute = re.match(r"(\.\w+|\[-?\w+\])*(\(\w*\))?", block[end + 1 :])[0]
        stop = end + 1 + len(attribute)
        return re.sub(r"\n +", " ", block[:stop]), block[stop:].strip(" :;.\n")
    raise AssertionError(f"this example is not a call in Python: {block}")


def calls(expression):
    """The calls of `lab` in an expression: (name without `lab.`, their node)."""
    for node in ast.walk(ast.parse(expression)):
        if isinstance(node, ast.Call) and re.fullmatch(r"lab(\.\w+)+", ast.unparse(node.func)):
            yield ast.unparse(node.func).removeprefix("lab."), node


def test_an_example_is_a_call_and_the_words_after_it():
    docstring = "Prose.\n\n    lab.f(1, {\n          2: 3}).x   the x of f\n    lab.g()\n      all"
    assert examples(docstring) == [("lab.f(1, { 2: 3}).x", "the x of f"), ("lab.g()", "all")]


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_shows_three_calls_and_what_each_does(name):
    shown = examples(inspect.getdoc(named(name)))
    assert len(shown) >= 3
    assert [call for call, effect in shown if not effect] == []


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_is_in_its_own_examples(name):
    own = [call for call, _ in examples(inspect.getdoc(named(name))) if f"lab.{name}" in call]
    assert own


@pytest.mark.parametrize("name", VERBS)
def test_each_call_fits_its_signature(name):
    for expression, _ in examples(inspect.getdoc(named(name))):
        for verb, node in calls(expression):
            function = named(verb)
            assert not isinstance(function, types.ModuleType)
            keywords = {word.arg: ... for word in node.keywords}
            inspect.signature(function).bind(*node.args, **keywords)
            assert not unknown_options(function, keywords), expression


def unknown_options(function, keywords):
    """The keywords that neither a verb nor `lab.load` or a recipe has, to which it passes them."""
    parameters = inspect.signature(function).parameters
    if "options" not in parameters:  # Python itself refuses an unknown keyword
        return set()
    passed_on = {*inspect.signature(lab.load).parameters, *Recipe.__dataclass_fields__}
    return set(keywords) - set(parameters) - passed_on


def test_an_option_that_no_verb_has_is_found():
    assert unknown_options(lab.compare, {"connection": 1, "rate": 2}) == {"connection"}


@pytest.mark.parametrize("name", MODULES)
def test_calls_that_only_compute_give_what_their_docstring_says(name):
    for expression, effect in examples(inspect.getdoc(named(name))):
        if expression.startswith(PURE):
            value = eval(expression, {"lab": lab})
            assert short(value) in effect, expression


def short(value):
    """A value as a docstring writes it: floats in three digits, strings in double quotes."""
    if isinstance(value, tuple):
        return f"({', '.join(map(short, value))})"
    return f"{value:.3g}" if isinstance(value, float) else str(value).replace("'", '"')
