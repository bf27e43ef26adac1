"""What of a JavaScript text is code."""

from __future__ import annotations

import functools
import re

BLANK = "\0"  # stands in a mask for a character of a string, of a template or of a pattern

_NEXT = re.compile(
    r"""(?P<comment>//[^\n\r\u2028\u2029]*|/\*.*?\*/)
    |(?P<string>"(?:[^"\\\n\r]|\\.)*"|'(?:[^'\\\n\r]|\\.)*')
    |(?P<other>["'`{}/])""",
    re.S | re.X,
)
_TEMPLATE = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*", re.S)
_PATTERN = re.compile(r"/(?:[^/\\\[\n\r]|\\[^\n\r]|\[(?:[^\]\[\\\n\r]|\\[^\n\r])*\])+/")
# Before a pattern, not before a division; a property may have the name of a keyword.
_BEFORE_A_PATTERN = re.compile(
    r"(?:^|[(,=:\[!&|?{;*%~^<>]|(?<!\+)\+|(?<!-)-"
    r"|(?<![\w$.])(?:return|typeof|case|in|delete|void|throw|new|do|else|instanceof))$"
)
_UNSURE = re.compile(r"(?:[)}.]|\+\+|--|(?:of|yield|await|async|let|static|get|set))$")
_OLD_COMMENTS = ("<!--", "-->")  # begin a comment in a script, not in a module


@functools.lru_cache(maxsize=1024)
def masked(text: str) -> str | None:
    """Return a text of the same length in which comments are spaces, and the insides of strings,
    templates and patterns are BLANK. Return None if it is not sure what is code.
    """
    if BLANK in text or any(one in text for one in _OLD_COMMENTS):
        return None
    mask: list[str] = []  # as far as `position`
    open_braces: list[str] = []  # each "{", or "`" for one in a template
    position = 0

    def took(end: int, shown: str) -> None:
        nonlocal position
        mask.append(shown)
        position = end

    if text.startswith("#!"):
        end = len(text.partition("\n")[0])
        took(end, " " * end)
    while match := _NEXT.search(text, position):
        took(match.start(), text[position : match.start()])
        found, end = match[0], match.end()
        if match["comment"]:
            took(end, re.sub(r"[^\n]", " ", found))
        elif match["string"]:
            took(end, found[0] + BLANK * (len(found) - 2) + found[0])
        elif found == "/":
            before = "".join(mask[-200:]).rstrip()
            if text[end : end + 1] == "*":
                return None  # a comment without an end
            if _BEFORE_A_PATTERN.search(before):
                pattern = _PATTERN.match(text, position)
                if pattern is None:
                    return None
                took(pattern.end(), "/" + BLANK * (len(pattern[0]) - 2) + "/")
            elif _UNSURE.search(before) and "/" in text[end:].partition("\n")[0]:
                return None
            else:
                took(end, found)
        elif found == "{":
            open_braces.append(found)
            took(end, found)
        elif found == "`" or (found == "}" and open_braces and open_braces.pop() == "`"):
            inside = _TEMPLATE.match(text, end)
            after = inside.end() if inside else end
            took(after, found + BLANK * (after - end))
            if text.startswith("${", after):
                open_braces.append("`")
                took(after + 2, "${")
            elif text.startswith("`", after):
                took(after + 1, "`")
            else:
                return None
        elif found == "}":
            took(end, found)
        else:
            return None  # a string without an end
    return "".join(mask) + text[position:]
