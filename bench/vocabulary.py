"""Count the names of the code: the commonest locals of each room, those that live long under a
participle or a pronoun, and files whose name is no noun.

A local that lives longer than five lines is named for what it holds; a participle is a boolean's
name. `tests/test_vocabulary.py` holds each room to the counts in `tests/vocabulary.toml`, which may
only fall: `--lower` writes the counts of today where they are smaller.

    python bench/vocabulary.py                # the whole table
    python bench/vocabulary.py lab/records    # one room, with the place of each name
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMITS = ROOT / "tests" / "vocabulary.toml"
HOMES = ("lab", "bench", "tests", "tools")
# Programs of readers, hand-ins and frameworks: they are written as their authors would write them.
EXAMINED = tuple(
    f"tests/{folder}/"
    for folder in (
        *("clinic/apps", "clinic/variants", "grading/attacks", "grading/frameworks"),
        *("simulator", "node/programs", "trace/programs"),
    )
)
LONG = 5  # a local that lives for at most so many lines may have any name
PRONOUNS = {
    *("one", "ones", "it", "them", "they", "both", "other", "others", "these", "those", "own"),
    *("this", "that", "what", "which", "who", "whose", "where", "here", "there", "rest", "such"),
    *("any", "all", "each", "every", "some", "none", "something", "anything", "nothing", "again"),
}
PARTICIPLES = {
    *("found", "told", "said", "made", "known", "given", "taken", "held", "seen", "left", "shown"),
    *("kept", "put", "written", "read", "brought", "called", "done", "gone", "got", "met", "meant"),
    *("begun", "chosen", "drawn", "built", "bound", "bought", "caught", "cut", "felt", "gotten"),
    *("heard", "hidden", "laid", "led", "lost", "paid", "run", "sent", "set", "spent", "split"),
    *("stood", "thought", "thrown", "understood", "won", "worn", "born", "come", "shut"),
}
# Words in -ed that are nouns, or adjectives of the field.
NOUNS_IN_ED = {"seed", "speed", "need", "feed", "embed", "shed", "bed", "weed", "red"}
NOUNS = {"set", "run", "split", "cut", "read"}  # participles that are nouns, too
# Words that say nothing of the content of a file.
VAGUE_FILES = {"once", "late", "looks", "showing", "mend", "new", "alike", "across", "overlooked"}


@dataclass(frozen=True)
class Local:
    """A name that a function binds, where, and for how many lines it is used."""

    name: str
    file: str
    line: int
    lines: int
    boolean: bool = False

    @property
    def vague(self) -> bool:
        """Whether it lives long and says nothing of what it holds."""
        return self.lines > LONG and not self.boolean and is_vague(self.name)


def is_vague(name: str) -> bool:
    """Whether a name is a pronoun or a participle, and nothing else: `found`, and not `isFound`."""
    if re.match(r"_*(is|has)[A-Z]", name):
        return False  # a question that is answered by yes or no
    word = name.strip("_").lower()
    if word in PRONOUNS or word in PARTICIPLES - NOUNS:
        return True
    return word.endswith("ed") and word.isalpha() and word not in NOUNS_IN_ED


def is_boolean(value: ast.expr | None) -> bool:
    """Whether an expression can only be true or false."""
    if isinstance(value, ast.Constant):
        return isinstance(value.value, bool)
    if isinstance(value, ast.UnaryOp):
        return isinstance(value.op, ast.Not)
    if isinstance(value, ast.BoolOp):
        return all(map(is_boolean, value.values))
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        return value.func.id in {"any", "all", "bool", "isinstance", "hasattr", "callable"}
    return isinstance(value, ast.Compare)


Function = ast.FunctionDef | ast.AsyncFunctionDef


def bindings(function: Function) -> dict[str, list[bool]]:
    """{local: whether each binding of it is a boolean}, parameters included."""
    names: dict[str, list[bool]] = defaultdict(list)
    every = function.args
    for argument in [*every.posonlyargs, *every.args, *every.kwonlyargs]:
        names[argument.arg].append("bool" in ast.unparse(argument.annotation or ast.Constant("")))
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    names[target.id].append(is_boolean(node.value))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names[node.target.id].append(ast.unparse(node.annotation) == "bool")
        elif isinstance(node, ast.NamedExpr):
            names[node.target.id].append(is_boolean(node.value))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.setdefault(node.id, [])
    return names


def python_locals(file: Path) -> Iterator[Local]:
    """Every local of every function of a file; an inner function's belong to it alone."""
    name = file.relative_to(ROOT).as_posix()
    tree = ast.parse(file.read_text("utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, Function)]
    inner = {
        id(part)
        for function in functions
        for part in ast.walk(function)
        if isinstance(part, Function) and part is not function
    }
    for function in functions:
        if id(function) in inner:
            continue
        uses: dict[str, list[int]] = defaultdict(list)
        for node in ast.walk(function):
            if isinstance(node, ast.Name):
                uses[node.id].append(node.lineno)
            elif isinstance(node, ast.arg):
                uses[node.arg].append(node.lineno)
        for local, booleans in bindings(function).items():
            lines = uses[local] or [function.lineno]
            yield Local(
                local,
                name,
                min(lines),
                max(lines) - min(lines) + 1,
                bool(booleans) and all(booleans),
            )


def javascript_locals(files: list[Path]) -> Iterator[Local]:
    """The same of JavaScript, which acorn reads."""
    names = [file.relative_to(ROOT).as_posix() for file in files]
    run = subprocess.run(
        ["node", str(ROOT / "bench" / "locals.mjs")],
        input=json.dumps(names),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for file, rows in json.loads(run.stdout).items():
        for name, line, lines, boolean in rows:
            yield Local(name, file, line, lines, boolean)


def tracked(*endings: str) -> list[Path]:
    """The files of the repository with these endings, without programs that tests only examine."""
    patterns = [f"{home}/**/*{ending}" for home in HOMES for ending in endings]
    command = ["git", "ls-files", *(f":(glob){pattern}" for pattern in patterns)]
    lines = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = [line for line in lines.splitlines() if not line.startswith(EXAMINED)]
    return [path for line in files if (path := ROOT / line).is_file()]


def room_of(file: str) -> str:
    """Where a file belongs: `lab/records`, `lab/claims.py`, `bench`."""
    parts = file.split("/")
    return "/".join(parts[: min(2, len(parts) - (parts[0] != "lab"))])


def all_locals() -> list[Local]:
    """Every local of the code, by file and line."""
    python = [local for file in tracked(".py") for local in python_locals(file)]
    scripts = list(javascript_locals(tracked(".js", ".mjs", ".cjs")))
    return sorted(python + scripts, key=lambda local: (local.file, local.line, local.name))


def vague_files() -> list[str]:
    """Files that are not named for what is in them."""
    files = [file.relative_to(ROOT).as_posix() for file in tracked(".py", ".js", ".mjs", ".cjs")]
    stems = {file: re.split(r"[._-]", Path(file).stem.strip("_"))[-1] for file in files}
    return [file for file, word in stems.items() if is_vague(word) or word in VAGUE_FILES]


def vague_counts(locals_: list[Local]) -> dict[str, int]:
    """{room: how many of its locals live long and say nothing}, and of files, `files`."""
    counts = Counter(room_of(local.file) for local in locals_ if local.vague)
    return {**dict(sorted(counts.items())), "files": len(vague_files())}


def limits() -> dict[str, int]:
    """What each room may have at most; a room that is not named, none."""
    return tomllib.loads(LIMITS.read_text("utf-8")) if LIMITS.is_file() else {}


def lower(counts: dict[str, int]) -> None:
    """Write down the counts where they have fallen. A room without one has gone."""
    kept = limits() or counts
    lines = [f'"{room}" = {min(n, counts[room])}' for room, n in kept.items() if counts.get(room)]
    head = "# Vague names of locals by room, and of files. bench/vocabulary.py --lower writes it.\n"
    LIMITS.write_text(head + "\n".join(lines) + "\n", "utf-8")


def table(locals_: list[Local]) -> str:
    """The commonest locals of each room, and the vague ones."""
    by_room: dict[str, list[Local]] = defaultdict(list)
    for local in locals_:
        by_room[room_of(local.file)].append(local)
    lines = []
    for room, names in sorted(by_room.items()):
        common = Counter(local.name for local in names if local.name != "self").most_common(10)
        vague = Counter(local.name for local in names if local.vague)
        lines.append(f"{room}: {len(names)} locals, {vague.total()} vague and long-lived")
        lines.append("  " + ", ".join(f"{name} {n}" for name, n in common))
        if vague:
            lines.append("  vague: " + ", ".join(f"{name} {n}" for name, n in vague.most_common(8)))
    total = Counter(local.name for local in locals_ if local.name != "self").most_common(30)
    vague = Counter(local.name for local in locals_ if local.vague)
    lines += [
        "",
        "all: " + ", ".join(f"{name} {n}" for name, n in total),
        f"vague and long-lived: {vague.total()} of {len(locals_)}: "
        + ", ".join(f"{name} {n}" for name, n in vague.most_common(30)),
        "files: " + ", ".join(vague_files()),
    ]
    return "\n".join(lines)


def main() -> int:
    """Print the table, or the places of one room's vague names."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("room", nargs="*", help="such as lab/records: the place of each vague name")
    parser.add_argument("--lower", action="store_true", help="write down the counts that fell")
    options = parser.parse_args()
    locals_ = all_locals()
    if options.lower:
        lower(vague_counts(locals_))
    for room in options.room:
        for local in locals_:
            if local.vague and re.match(rf"{re.escape(room.rstrip('/'))}([/.]|$)", local.file):
                print(f"{local.file}:{local.line}: {local.name}, {local.lines} lines")
    if not options.room:
        print(table(locals_))
    return 0


if __name__ == "__main__":
    sys.exit(main())
