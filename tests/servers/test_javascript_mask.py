"""What is code in a JavaScript text is known as a parser knows it, or said to be unknown."""

import json
import subprocess

import pytest

from lab import paths
from lab.processes.nodes import program as node_program
from lab.servers.javascript_mask import BLANK, masked

# The same mask, made of what the parser acorn finds.
BY_PARSER = """
const acorn = require(process.argv[1]);
const { readFileSync } = require("node:fs");
const masks = JSON.parse(readFileSync(0, "utf8")).map((text) => {
  for (const sourceType of ["module", "script"]) {
    const letters = text.split("");
    const fill = (start, end, letter) => {
      for (let i = start; i < end; i++) letters[i] = letter(letters[i]);
    };
    const blank = () => "\\0";
    const tokens = [];
    const comments = [];
    const options = { ecmaVersion: "latest", sourceType, allowReturnOutsideFunction: true };
    try {
      acorn.parse(text, { ...options, onToken: tokens, onComment: comments });
    } catch {
      continue;
    }
    for (const { start, end } of comments) fill(start, end, (one) => (one === "\\n" ? one : " "));
    for (const { type, start, end, value } of tokens) {
      if (type.label === "string") fill(start + 1, end - 1, blank);
      if (type.label === "regexp") fill(start + 1, start + 1 + value.pattern.length, blank);
      if (type.label === "template") fill(start, end, blank);
    }
    return letters.join("");
  }
  return null;
});
process.stdout.write(JSON.stringify(masks));
"""


def by_parser(texts):
    argv = [node_program(), "-e", BY_PARSER, str(paths.ROOT / "node_modules/acorn")]
    done = subprocess.run(
        argv, input=json.dumps(texts), capture_output=True, text=True, check=True, timeout=300
    )
    return json.loads(done.stdout)


def test_the_programs_of_the_book_are_masked_as_a_parser_reads_them():
    folders = ("book", "servers", "exercises", "lab/node", "lab/simulator", "lab/widgets")
    files = [file for one in folders for file in (paths.ROOT / one).rglob("*.[cm]js")]
    files += [file for one in folders for file in (paths.ROOT / one).rglob("*.js")]
    files = [file for file in files if "node_modules" not in file.parts]
    texts = [file.read_text("utf-8") for file in files]
    # Positions in JavaScript count units, of which some letters have two.
    texts = [text for text in texts if max(text, default="") < "\U00010000"]
    wanted = by_parser(texts)
    parsed = [(t, w) for t, w in zip(texts, wanted, strict=True) if w is not None]
    assert len(parsed) > 600
    unsure = [text for text, _ in parsed if masked(text) is None]
    assert len(unsure) < 0.1 * len(parsed)
    assert [text[:80] for text, mask in parsed if masked(text) not in (mask, None)] == []


SURE = [
    "f(a / b, c / d, '/');",
    "const it = /[/'\"`]/u.test(a) ? `${b}/` : `/*${ {c: '}'}.c }*/`;",
    "f[a] / 2; x = [/a/, /b/g]; // `",
    "#!/usr/bin/env 'node'\nimport a from './a.mjs';",
    "a = b\n  /* ' */ / c; 'it\\'s'; \"\\\n\";",
    "`a${`b${'c'}`}${d}`;",
    """export default /"/; log("import './b.mjs'"); /"/;""",
    "a" + "/**/\n" * 150 + "/ 2; '`';",
    "return" + "/**/\n" * 150 + "/`/; '`';",
    "x = class extends /'/ {}; '\"';",
    "areturn / 2; '/'",
]
UNSURE = [
    "if (a) /'/.test(b); '/'",
    "a = {} / 1; b = '/';",
    "a++ / 2; '/'",
    "f(a) / 2; '/'",
    "'no end",
    "`no ${end",
    "/* no end",
    "a <!-- b",
    "a\n--> b",
    "'\0'",
    "x = /no end",
    *(
        f'{begin}/"/; log("import \'./b.mjs\'"); /"/;{end}'
        for begin, end in [
            ("for (;;) { break\n", "}"),
            ("for (;;) { continue // why\n", "}"),
            ("debugger\r", ""),
            ("a: for (;;) { break a\n", "}"),
            ("import './a.mjs'\n", ""),
            ("let a\n", ""),
        ]
    ),
]


@pytest.mark.parametrize("text", SURE)
def test_a_short_text_is_masked_as_a_parser_reads_it(text):
    (wanted,) = by_parser([text])
    assert masked(text) == wanted != text
    assert BLANK in wanted


@pytest.mark.parametrize("text", UNSURE)
def test_a_text_that_may_be_read_in_two_ways_has_no_mask(text):
    assert masked(text) is None
