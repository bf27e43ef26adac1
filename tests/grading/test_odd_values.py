"""Whatever a hand-in returns is an answer: a wrong one, never a check that breaks on it."""

import re

import pytest

from lab.grading import exercise, handin, run
from lab.grading.result import BROKEN

ODD = {
    "nothing": "undefined",
    "null": "null",
    "no number": "NaN",
    "minus zero": "-0",
    "a text": "'odd'",
    "a long text": "'x'.repeat(1 << 22)",
    "a symbol": "Symbol('odd')",
    "a big number": "10n ** 400n",
    "a function": "() => {}",
    "functions all the way": "(function again() { return again; })",
    "a class": "class {}",
    "an empty object": "({})",
    "an object without a prototype": "Object.create(null)",
    "an object that calls itself a promise": "({ [Symbol.toStringTag]: 'Promise' })",
    "a getter that throws": "({ get value() { throw new Error('odd') } })",
    "values that cannot be turned into texts": "({ toString: null, valueOf: null })",
    "a proxy": "new Proxy({}, {})",
    "a proxy of everything": "everything",
    "a proxy that throws": "new Proxy(function () {}, throwing)",
    "a proxy that is revoked": "revoked()",
    "a circle": "circle()",
    "an empty list": "[]",
    "a list with holes": "Object.assign([1], { length: 1000 })",
    "a list of odd values": "[null, undefined, NaN, -0, 'odd', {}, [], () => {}, 1n]",
    "bytes": "Buffer.from('odd')",
    "a map of odd values": "new Map([[{}, []], [NaN, undefined], ['a', new Map()]])",
    "a date that is none": "new Date(NaN)",
    "an error": "new Error('odd')",
    "an error without a text": "Object.assign(new Error(), { message: undefined, stack: 5 })",
    "a promise of a list": "Promise.resolve([undefined])",
    "a promise that is rejected with nothing": "Promise.reject()",
    "a promise that is rejected with a text": "Promise.reject('odd')",
    "what is like a promise": "({ then(yes) { yes({ then(_, no) { no(null) } }) } })",
}
SAMPLE = ("nothing", "null", "functions all the way", "a proxy of everything")
WITH = """
const get = (_, name) =>
  name === "then" ? undefined : name === Symbol.toPrimitive ? () => NaN : everything;
const everything = new Proxy(function () {}, {
  get,
  apply: () => everything,
  construct: () => everything,
});
const odd = () => { throw new Error("odd") };
const throwing = { get: odd, has: odd, apply: odd, ownKeys: odd };
const revoked = () => { const made = Proxy.revocable({}, {}); made.revoke(); return made.proxy; };
const circle = () => { const a = { b: [] }; a.b.push(a); return a; };
const value = () => VALUE;
"""
_NAMES = re.compile(
    r"^export (?:async )?(?P<kind>function\*?|const|class) (?P<name>\w+)(?P<is> = [\[{])?", re.M
)
_LIST = re.compile(r"^module\.exports = \{([^}]*)\}", re.M)


def exported(one):
    """The names that the solution of an exercise exports, and whether each is a function; none of
    a program or a server.
    """
    text = one.solution.read_text()
    listed = [name.partition(":")[0].strip() for name in ",".join(_LIST.findall(text)).split(",")]
    named = {found["name"]: not found["is"] for found in _NAMES.finditer(text)}
    return {**named, **dict.fromkeys(filter(None, listed), True)}


def judged(program, expression):
    """What a hand-in is worth all of whose exports are odd, or return what is."""
    text = WITH.replace("VALUE", expression)
    for name, function in exported(program).items():
        text += (
            f"export {'function ' + name + '() { return' if function else 'const ' + name + ' ='}"
        )
        text += f" value(){' }' if function else ''};\n"
    return run.grade(program, handin.from_text(text, "odd.mjs"))


MODULES = [one for one in map(exercise.exercise, exercise.names()) if exported(one)]
CASES = [
    pytest.param(
        one,
        what,
        id=f"{one.id}-{what}",
        marks=[] if what == SAMPLE[at % len(SAMPLE)] else [pytest.mark.nightly],
    )
    for at, one in enumerate(MODULES)
    for what in ODD
]


@pytest.mark.judges
@pytest.mark.parametrize(("one", "what"), CASES)
def test_an_odd_value_is_a_wrong_answer(one, what):
    result = judged(one, ODD[what])
    assert result.outcome != BROKEN, str(result)
    assert not result.passed
    assert all(row.message for row in result.missed)
