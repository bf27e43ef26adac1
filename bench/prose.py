"""How the book reads, and whether an edit of its English kept the facts.

Without options: for each page how long its sentences are, how many have a colon or a semicolon, how
often it speaks to the reader, its contractions, and the counts of the patterns of docs/style.md.
`tests/test_style.py` holds each file to the counts in tests/style.toml, which may only fall.

    python bench/prose.py                          # the whole table
    python bench/prose.py book/start.md            # one page, with the place of each pattern
    python bench/prose.py --base main [FILE ...]   # what an edit has changed besides sentences
    python bench/prose.py --sentences 80 --seed 1  # sentences drawn at random, to be judged blind
    python bench/prose.py --lower [FILE ...]       # write down the counts that fell
    python bench/prose.py --check                  # fail if a count has risen

The repository is the one of the current directory.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from lab.text.messages import messages, strings_of, values
from lab.text.prose import FENCE, HAS_PROSE, prose, sentences_with_code

FILES = (
    ":(glob)*.md",
    "docs/*.md",
    *(f":(glob){folder}/**/*.md" for folder in ("book", "exercises", "lab", "tools")),
)
TABLES = (
    ":(glob)book/**/questions.toml",
    ":(glob)exercises/**/exercise.toml",
    "data/claims.toml",
    "data/version-causes.toml",
)
# Programs whose messages are sentences for a reader.
SCRIPTS = (
    ":(glob)exercises/**/check.mjs",
    ":(glob)exercises/*.mjs",
    *(
        f":(glob){folder}/**/*.{kind}"
        for folder in ("lab", "tools")
        for kind in ("py", "js", "mjs")
    ),
    ":(glob)book/_static/*.js",
)
IS_SCRIPT = (".py", ".js", ".mjs")
STYLE = "docs/style.md"  # quotes what it forbids
LIMITS = "tests/style.toml"

# Keys of questions.toml and exercise.toml whose values are sentences.
SENTENCES = {"ask", "text", "why", "title", "summary", "hints", "says", "is", "message"}
# Options of a directive whose values are sentences, and directives whose argument is one.
OWN_WORDS = {"alt", "caption"}
TITLED = {"admonition", "note", "warning", "tip", "important"}

# What docs/style.md says of each.
PATTERNS = {
    "persons": r"\b(?:nobody|somebody|everybody|anybody|whoever|who comes|those who)\b",
    "stand": r"\b(?:stands?|stood)\b(?! (?:for|in for|out|up|back)\b)",
    "beside": r"\bbeside\b",
    "is no": r"(?<!there )(?<!there may )(?<!there can )\b(?:is|are|was|were|be) no "
    r"(?!longer|more|less|fewer|doubt|matter|other)",
    "clipped": r"(?:, too(?=[.;:)])|\banew\b|\bonce more\b|\ball the same\b|\bfor ever\b"
    r"|\bas it comes\b|\bin one go\b|, for (?=it|they|we|you|he|she|there|then)\b)",
    "that of": r"\b(?:(?:that|those) of|the ones? (?:of|before|after|in|for|with|given))\b",
    "fronted": r"(?:^|(?<=[.!?] ))(?:(?:Lost|Measured|Gone|Left|Meant|Missing|Shown|Drawn|Counted"
    r"|Known|Given|Taken|Told|Written|Held|Kept|Sent|Asked|Said|New|Wrong|Right)"
    r" (?:is|are|was|were)\b|Of (?:these|those|its|this|the (?:same|two|three|four|five))\b)",
    "say of": r"\b(?:say|tell|says|tells) of\b",
    "figure": r"\bfigures?\b",
    "ill": r"\b(?:ill|illness(?:es)?|cures?|cured)\b",
    "stay": r"(?<!\*)\b(?:a|the|its|their|each|mean|long|whose|every) stays?\b",
    "mark": r"\b(?:the|a|its|each|this) marks?\b(?! (?:of|at)\b)",
    "look": r"\b(?:a|the|each|first|second|every|one|two|three|between|this|last) "
    r"(?:two )?looks?\b(?!-| of\b| like\b)",
    "trip": r"(?<!round )(?<!round-)\btrips?\b",
}
SEARCH = {
    name: re.compile(pattern, re.M if name == "fronted" else re.I)
    for name, pattern in PATTERNS.items()
}

READER = re.compile(r"\b(?:you|your|yours|yourself|we|our|ours|us|ourselves)\b", re.I)
CONTRACTION = re.compile(
    r"\b\w+(?:n['’]t|['’](?:ll|re|ve|m|d))\b|\b(?:it|that|there|what|let|here|he|she|who|where|how)['’]s\b",
    re.I,
)
WORD = re.compile(r"[A-Za-z0-9][\w'’.,/-]*")
ROLE = re.compile(r"\{([\w:-]+)\}`([^`]*)`")
LINK = re.compile(r"\]\(([^)\s]*)\)|<(https?://[^>\s]*)>")
END = re.compile(r"[.!?][\"”’)*_]*(\s+)(?=[\"“(*_`\[]*[A-Z0-9`{$])")
NUMBER = re.compile(r"(?<![\w.,])[-−±]?\d+(?:[.,]\d+)*(?:\s?[%°])?")
SPELT = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty"
    r"|hundred|thousand|million|half|third|quarter|twice|double)\b",
    re.I,
)


def repository() -> Path:
    """The repository of the current directory."""
    command = ["git", "rev-parse", "--show-toplevel"]
    return Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())


ROOT = repository()


def git(*arguments: str) -> str:
    """What git prints in the repository."""
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout


def files(*patterns: str) -> list[str]:
    """The files with sentences; those of a pattern only."""
    names = git("ls-files", "--", *patterns).splitlines()
    return sorted(name for name in names if (ROOT / name).is_file() and name != STYLE)


# Sentences


@dataclass(frozen=True)
class Sentence:
    """A sentence as its file has it, and where."""

    file: str
    line: int
    text: str

    @property
    def plain(self) -> str:
        """The sentence with a word in place of code and the like, and without addresses."""
        return plain(self.text)


def plain(text: str) -> str:
    """The words as a reader sees them; code, measured numbers and formulas are a word each."""
    text = ROLE.sub(
        lambda m: m[2].split("<")[0].strip() if m[1] in ("term", "doc", "ref") else "X", text
    )
    text = re.sub(r"`[^`]+`|\$[^$]+\$", "X", text)
    text = re.sub(r"\[\^[\w-]+\]|\]\([^)\s]*\)|<https?://[^>\s]*>|</?[a-z][^>]*>", "", text)
    return text.replace("[", "").replace("**", "")


def shield(text: str) -> str:
    """The same without what would end a sentence inside code, roles and formulas."""
    inside = re.compile(
        r"\{[\w:-]+\}`[^`]*`|`[^`\n]+(?:\n[^`\n]+)?`|\$[^$\n]+\$|\be\.g\.|\bi\.e\.|\bvs\.|\bcf\."
    )
    return inside.sub(lambda m: re.sub(r"[.!?]", "\0", m[0]), text)


def split(text: str) -> Iterator[tuple[int, str]]:
    """Offset and text of each sentence."""
    start = 0
    for match in END.finditer(shield(text)):
        yield start, text[start : match.start(1)]
        start = match.end(1)
    yield start, text[start:]


def blocks(text: str) -> Iterator[tuple[int, str]]:
    """Line and text of each paragraph, item of a list, heading and cell of a table."""
    start = 0
    lines: list[str] = []
    for number, line in enumerate([*text.split("\n"), ""], 1):
        new = re.match(r"\s*(?:[-*+]|\d+\.)\s+|#{1,6} |\||\([\w-]+\)=|: ", line)
        if (not line.strip() or new) and lines:
            yield start, "\n".join(lines)
            lines = []
        if not line.strip() or re.fullmatch(r"[\s|:-]*|\([\w-]+\)=|\s*:[\w-]+:.*", line):
            continue
        if line.startswith("|"):
            yield from ((number, cell) for cell in line.strip().strip("|").split("|"))
            continue
        if line.startswith("#"):
            continue
        if not lines:
            start = number
        lines.append(line if lines else re.sub(r"^\s*(?:[-*+]|\d+\.|:)\s+", "", line))


def of_page(name: str, text: str) -> Iterator[Sentence]:
    """The sentences of a page; cells of a table count if they end as a sentence does."""
    for line, block in blocks(sentences_with_code(text)):
        for offset, part in split(block):
            words = " ".join(part.split())
            if len(WORD.findall(plain(words))) >= 3 and re.search(r"[.!?:][\"”’)*_]*$", words):
                yield Sentence(name, line + block.count("\n", 0, offset), words)


def strings(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Path and text of each sentence of a table."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from strings(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from strings(inner, f"{path}.{number}")
    elif isinstance(value, str) and any(part in SENTENCES for part in path.split(".")[-2:]):
        yield path, value


def located(text: str) -> Iterator[tuple[int, str]]:
    """The strings of a table, each with the line in which it begins."""
    lines = text.split("\n")
    at = 0
    for _, value in strings(tomllib.loads(text)):
        first = value.strip().split("\n")[0]
        written = first.replace("\\", "\\\\").replace('"', '\\"')
        later = [n for n, line in enumerate(lines) if first in line or written in line]
        at = next((n for n in later if n >= at), at)
        yield at + 1, value


def of_table(name: str, text: str) -> Iterator[Sentence]:
    """The sentences of a file of questions, or of an exercise's."""
    for line, value in located(text):
        for _, part in split(value):
            words = " ".join(part.split())
            if len(WORD.findall(plain(words))) >= 3:
                yield Sentence(name, line, words)


def of_script(name: str, text: str) -> Iterator[Sentence]:
    """The sentences of a program's messages."""
    for message in messages(name, text):
        for _, part in split(message.text):
            words = " ".join(part.split())
            if len(WORD.findall(plain(words))) >= 3:
                yield Sentence(name, message.line, words)


def sentences(name: str, text: str) -> list[Sentence]:
    """The sentences of a file."""
    if name.endswith(IS_SCRIPT):
        return list(of_script(name, text))
    return list(of_table(name, text) if name.endswith(".toml") else of_page(name, text))


def pieces(name: str, text: str) -> Iterator[tuple[int, str]]:
    """The words of a file that a reader sees, captions and headings as well, in pieces; each with
    the line in which it begins.
    """
    if name.endswith(".toml"):
        yield from ((line, plain(value)) for line, value in located(text))
        return
    if name.endswith(IS_SCRIPT):
        yield from ((message.line, plain(message.text)) for message in messages(name, text))
        return
    yield 1, prose(text)
    for match in FENCE.finditer(text):
        if match[2] == "figure":
            yield text.count("\n", 0, match.start()) + 1, own_words(match)


def own_words(match: re.Match[str]) -> str:
    """Alternative text and caption of a picture."""
    options, body = split_options(match[3])
    return "\n".join([value for key, value in options.items() if key in OWN_WORDS] + [body])


# Patterns


def places(name: str, text: str) -> Iterator[tuple[int, str, str]]:
    """Line, pattern and words of each pattern in a file."""
    for first_line, piece in pieces(name, text):
        running = re.sub(r"\n(?=\S)", " ", piece)  # a pattern may go over the end of a line
        for pattern, search in SEARCH.items():
            for match in search.finditer(running):
                around = " ".join(running[max(0, match.start() - 40) : match.end() + 40].split())
                yield first_line + piece.count("\n", 0, match.start()), pattern, around


def counts(name: str, text: str) -> dict[str, int]:
    """{pattern: how often a file has it}."""
    hits = Counter(pattern for _, pattern, _ in places(name, text))
    return {pattern: hits[pattern] for pattern in PATTERNS if hits[pattern]}


@dataclass(frozen=True)
class Measures:
    """What a page is like."""

    words: int
    sentences: int
    colons: int
    semicolons: int
    reader: int
    contractions: int

    def row(self) -> str:
        """The measures a sentence, in percent, and a thousand words."""
        sentences, thousand = max(self.sentences, 1), max(self.words, 1) / 1000
        percent = 100 / sentences
        return (
            f"{self.sentences:5} {self.words / sentences:6.1f} "
            f"{self.colons * percent:6.1f} {self.semicolons * percent:6.1f} "
            f"{self.reader / thousand:6.1f} {self.contractions / thousand:6.1f}"
        )


def measures(parts: Iterable[Sentence]) -> Measures:
    """Count them. A colon at the end, before a list or a cell, is as it should be."""
    texts = [part.plain for part in parts]
    all_text = "\n".join(texts)
    return Measures(
        len(WORD.findall(all_text)),
        len(texts),
        sum(":" in text.rstrip(":") for text in texts),
        sum(";" in text for text in texts),
        len(READER.findall(all_text)),
        len(CONTRACTION.findall(all_text)),
    )


HEAD = (
    f"{'':52} {'sent.':>5} {'words':>6} {'% :':>6} {'% ;':>6} {'you/k':>6} {'n’t/k':>6}  patterns"
)


def table(names: list[str]) -> Iterator[str]:
    """A row a file, and one for all."""
    yield HEAD
    groups: dict[str, list[Sentence]] = {
        "pages": [],
        "questions": [],
        "exercises": [],
        "docs": [],
        "messages": [],
    }
    totals: dict[str, Counter[str]] = {group: Counter() for group in groups}
    for name in names:
        text = (ROOT / name).read_text("utf-8")
        parts, pattern_counts = sentences(name, text), counts(name, text)
        group = (
            "messages"
            if name.endswith(IS_SCRIPT)
            else "exercises"
            if name.startswith("exercises/")
            else "questions"
            if name.endswith(".toml")
            else "pages"
            if name.startswith("book/")
            else "docs"
        )
        groups[group] += parts
        totals[group].update(pattern_counts)
        if group not in ("exercises", "messages") or len(names) < 20:
            yield f"{name[-52:]:52} {measures(parts).row()}  {shown(pattern_counts)}"
    for group, parts in groups.items():
        if parts and len(names) > 1:
            yield f"{'all ' + group:52} {measures(parts).row()}  {shown(totals[group])}"
    yield f"{'goal':52} {'':5} {'13-18':>6} {'<=9':>6} {'<=3':>6} {'>=22':>6} {'8-20':>6}"


def shown(found: Mapping[str, int]) -> str:
    """The counts in a line."""
    return ", ".join(f"{pattern} {n}" for pattern, n in found.items())


# The ratchet


def limits() -> dict[str, dict[str, int]] | None:
    """{file: {pattern: how often at most}}, if there is a list; a file that is not named, none."""
    file = ROOT / LIMITS
    return tomllib.loads(file.read_text("utf-8")) if file.is_file() else None


def risen(names: list[str] | None = None) -> list[str]:
    """What each of these files, by default all, has more often than is written down."""
    file_limits = limits() or {}
    lines = []
    for name in files(*FILES, *TABLES, *SCRIPTS) if names is None else names:
        text = (ROOT / name).read_text("utf-8")
        for pattern, n in counts(name, text).items():
            if n > (most := file_limits.get(name, {}).get(pattern, 0)):
                lines.append(f"{name}: “{pattern}” {n} times, {most} are allowed")
                lines += [
                    f"  {name}:{line}: … {a} …" for line, p, a in places(name, text) if p == pattern
                ]
    return lines


def lower(names: list[str]) -> None:
    """Write down the counts of these files where they fell; without a list yet, all counts."""
    before = limits()
    now = {
        name: counts(name, (ROOT / name).read_text("utf-8"))
        for name in files(*FILES, *TABLES, *SCRIPTS)
    }
    lines = [
        "# Patterns of docs/style.md by file. bench/prose.py --lower writes it: counts only fall."
    ]
    for name, pattern_counts in now.items():
        file_limits = pattern_counts if before is None else before.get(name, {})
        if name in names:
            file_limits = {
                pattern: min(n, file_limits[pattern])
                for pattern, n in pattern_counts.items()
                if file_limits.get(pattern)
            }
        if file_limits:
            lines.append(
                f'"{name}" = {{ {", ".join(f"{key(p)} = {n}" for p, n in file_limits.items())} }}'
            )
    (ROOT / LIMITS).write_text("\n".join(lines) + "\n", "utf-8")


def key(pattern: str) -> str:
    """A key of TOML."""
    return pattern if pattern.isalpha() else f'"{pattern}"'


# Facts


def split_options(body: str) -> tuple[dict[str, str], str]:
    """Options and content of a directive."""
    if body.startswith("---\n"):
        head, _, content = body[4:].partition("\n---\n")
        options: dict[str, str] = {}
        last = ""
        for line in head.split("\n"):
            if match := re.match(r"([\w-]+):\s*(.*)", line):
                last = match[1]
                options[last] = match[2]
            elif last:
                options[last] += "\n" + line
        return options, content
    options = {}
    lines = body.split("\n")
    while lines and (match := re.match(r"\s*:([\w-]+):\s*(.*)", lines[0])):
        options[match[1]] = match[2]
        lines.pop(0)
    return options, "\n".join(lines)


Facts = dict[str, Counter[str]]
NOTES = {"heading", "number in words"}  # shown, but no difference by themselves


def page_facts(text: str) -> Facts:
    """What an edit leaves alone, by kind; the order of code is part of it."""
    facts: Facts = {}

    def add(kind: str, *values: str) -> None:
        facts.setdefault(kind, Counter()).update(values)

    if front := re.match(r"---\n.*?^---\n", text, re.S | re.M):
        add("front matter", front[0])
        text = text[front.end() :]
    order: list[str] = []

    def visit(part: str) -> str:
        """Add the fences of a text; return what is left between them."""

        def fence(match: re.Match[str]) -> str:
            name = match[2]
            first = match[0].split("\n")[0].strip()
            if "{" not in first or name == "code-cell":
                order.append(match[0])
                return ""
            options, body = split_options(match[3])
            argument = first.partition("}")[2]
            add("directive", name + ("" if name in TITLED else argument))
            add("option", *(f"{name} {k}: {v}" for k, v in options.items() if k not in OWN_WORDS))
            own = "\n".join(v for k, v in options.items() if k in OWN_WORDS)
            if name in HAS_PROSE or name == "figure":
                return "\n".join([argument if name in TITLED else "", own, visit(body)])
            add("directive's content", body)
            return own

        return FENCE.sub(fence, part)

    running = visit(text)
    for number, code in enumerate(order, 1):
        add("code", f"{number}. {code}")
    add(
        "label",
        *re.findall(r"^\(([\w-]+)\)=", running, re.M),
        *re.findall(r'\bid="([^"]+)"', running),
    )
    add("heading", *re.findall(r"^#+ .*", running, re.M))
    add(
        "level of heading",
        *(f"{n}. {h}" for n, h in enumerate(re.findall(r"^#+(?= )", running, re.M), 1)),
    )
    add("definition of footnote", *re.findall(r"^\[\^([\w-]+)\]:", running, re.M))
    add("footnote", *re.findall(r"\[\^([\w-]+)\](?!:)", running))
    for role, value in ROLE.findall(running):
        target = value.rpartition("<")[2].rstrip(">") if value.rstrip().endswith(">") else value
        add("glue" if role == "glue:text" else "role", f"{role} {' '.join(target.split())}")
    running = ROLE.sub(" ", running)
    add("link", *("".join(link) for link in LINK.findall(running)))
    add("comment", *re.findall(r"<!--.*?-->", running, re.S))
    add(
        "inline code",
        *(" ".join(code.split()) for code in re.findall(r"`([^`\n]+(?:\n[^`\n]+)?)`", running)),
    )
    running = re.sub(r"`[^`\n]+(?:\n[^`\n]+)?`", " ", running)
    add("formula", *re.findall(r"\$\$.*?\$\$|\$[^$\n]+(?:\n[^$\n]+)?\$", running, re.S))
    running = LINK.sub(
        " ", re.sub(r"\$\$.*?\$\$|\$[^$\n]+(?:\n[^$\n]+)?\$", " ", running, flags=re.S)
    )
    running = re.sub(r"\[\^[\w-]+\]|</?[a-z][^>]*>", " ", running)
    add("number", *(" ".join(n.split()) for n in NUMBER.findall(running)))
    add("number in words", *(word.lower() for word in SPELT.findall(running)))
    return facts


def table_facts(text: str) -> Facts:
    """The same of questions.toml and exercise.toml: sentences give their facts alone."""
    facts: Facts = {}

    def add(kind: str, value: str) -> None:
        facts.setdefault(kind, Counter()).update([value])

    def walk(value: Any, path: str) -> None:
        if isinstance(value, Mapping):
            add("keys", f"{path}: {', '.join(value)}")
            for k, inner in value.items():
                walk(inner, f"{path}.{k}".lstrip("."))
        elif isinstance(value, list) and value and isinstance(value[0], Mapping):
            add("keys", f"{path}: {len(value)} entries")
            for number, inner in enumerate(value):
                walk(inner, f"{path}.{number}")
        elif path.rpartition(".")[2] in SENTENCES:
            text = "\n".join(value) if isinstance(value, list) else str(value)
            if isinstance(value, list):
                add("keys", f"{path}: {len(value)} entries")
            for kind, inside in page_facts(text).items():
                facts.setdefault(kind, Counter()).update(
                    {
                        f"{path}: {fact}" if kind not in NOTES else fact: n
                        for fact, n in inside.items()
                    }
                )
        else:
            add("value", f"{path} = {value!r}")

    walk(tomllib.loads(text), "")
    return facts


def script_facts(name: str, text: str) -> Facts:
    """The same of a program: its code without strings of several words, and the values in these."""
    facts: Facts = {"number": Counter(), "value": Counter()}
    source, code, at = text.encode(), b"", 0
    for message in sorted(strings_of(name, text), key=lambda each: each.start):
        if message.start < at or len(message.text.split()) < 2:
            continue
        facts["number"].update(NUMBER.findall(plain(message.text)))
        written = source[message.start : message.end].decode()
        facts["value"].update(values(name, written))
        code += source[at : message.start] + b'"X"'
        at = message.end
    # A formatter moves the ends of lines, and with these commas and parentheses.
    unformatted = re.sub(r"\s+|,(?=\s*[)\]}])|[()]", "", (code + source[at:]).decode())
    facts["code"] = Counter([unformatted])
    return facts


def facts(name: str, text: str) -> Facts:
    """What an edit of a file leaves alone."""
    if name.endswith(IS_SCRIPT):
        return script_facts(name, text)
    return table_facts(text) if name.endswith(".toml") else page_facts(text)


def short(fact: str) -> str:
    """A fact in a line."""
    line = " ".join(fact.split())
    return line if len(line) < 160 else f"{line[:110]} … {line[-40:]}"


def differences(base: str, names: list[str]) -> tuple[list[str], bool]:
    """What differs from a revision, a line a fact, and whether any of it is more than a note."""
    lines, wrong = [], False
    before = set(git("ls-tree", "-r", "--name-only", base).splitlines())
    for name in names:
        now = (ROOT / name).read_text("utf-8") if (ROOT / name).is_file() else None
        if name not in before or now is None:
            if name in before:
                lines.append(f"{name}: is gone")
                wrong = True
            continue
        then = git("show", f"{base}:{name}")
        if then == now:
            continue
        old, new = facts(name, then), facts(name, now)
        for kind in sorted(old.keys() | new.keys()):
            missing = old.get(kind, Counter()) - new.get(kind, Counter())
            fresh = new.get(kind, Counter()) - old.get(kind, Counter())
            if missing or fresh:
                note = kind in NOTES
                wrong = wrong or not note
                lines.append(f"{name}: {kind}{' (look at this)' if note else ''}")
                lines += [
                    f"  - {short(fact)}" + (f"  ({n} times)" if n > 1 else "")
                    for fact, n in missing.items()
                ]
                lines += [
                    f"  + {short(fact)}" + (f"  ({n} times)" if n > 1 else "")
                    for fact, n in fresh.items()
                ]
    return lines, wrong


def main() -> int:
    """Do what the options say."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="such as book/start.md: these alone, or a folder's"
    )
    parser.add_argument(
        "--base", metavar="REV", help="compare facts with this revision; 1 if they differ"
    )
    parser.add_argument(
        "--sentences", type=int, metavar="N", help="print so many sentences, drawn at random"
    )
    parser.add_argument("--seed", default="1", help="of the draw")
    parser.add_argument(
        "--lower", action="store_true", help="write down the counts of FILEs (all) that fell"
    )
    parser.add_argument("--check", action="store_true", help="fail if a count is above its limit")
    options = parser.parse_args()
    patterns = options.files or ["."]
    with_sentences = set(files(*FILES, *TABLES, *SCRIPTS))
    names = [name for name in files(*patterns) if name in with_sentences]
    if options.base:
        there = git("ls-tree", "-r", "--name-only", options.base).splitlines()
        if not options.files:
            base_names = [
                n
                for n in there
                if re.fullmatch(r"(book|exercises|docs)/.*\.(md|toml)|[A-Z]+\.md", n)
            ]
            names = sorted({*names, *(n for n in base_names if not (ROOT / n).is_file())})
        lines, wrong = differences(options.base, names)
        print("\n".join(lines) or f"Only sentences differ from {options.base}.")
        return int(wrong)
    if options.check:
        lines = risen(names)
        if lines:
            print(*lines, "docs/style.md has better words for each.", sep="\n")
        return int(bool(lines))
    if options.lower:
        lower(names)
        return 0
    if options.sentences:
        every = [
            part for name in names for part in sentences(name, (ROOT / name).read_text("utf-8"))
        ]
        drawn = random.Random(options.seed).sample(every, min(options.sentences, len(every)))
        print(*(f"{part.file}:{part.line}: {part.text}" for part in drawn), sep="\n")
        return 0
    print(*table(names), sep="\n")
    if options.files:
        for name in names:
            for line, pattern, around in sorted(places(name, (ROOT / name).read_text("utf-8"))):
                print(f"{name}:{line}: {pattern}: … {around} …")
    return 0


if __name__ == "__main__":
    sys.exit(main())
