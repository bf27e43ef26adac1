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
    r"|(?<![\w$.])(?:return|typeof|case|in|delete|void|throw|new|do|else|instanceof"
    r"|default|extends))$"
)
_UNSURE = re.compile(r"(?:[)}.]|\+\+|--|(?:of|yield|await|async|let|static|get|set))$")
_LINE_END = re.compile(r"[\n\r\u2028\u2029]")  # may end a statement without a sign, as of `break`
_LONGEST = 20  # characters of the end of the code, more than each word above has
_OLD_COMMENTS = ("<!--", "-->")  # begin a comment in a script, not in a module


class _Unsure(Exception):
    """It is not sure what is code."""


@functools.lru_cache(maxsize=1024)
def masked(text: str) -> str | None:
    """Return a text of the same length in which comments are spaces, and the insides of strings,
    templates and patterns are BLANK. Return None if it is not sure what is code.
    """
    if BLANK in text or any(one in text for one in _OLD_COMMENTS):
        return None
    begin = len(text.partition("\n")[0]) if text.startswith("#!") else 0
    mask = [" " * begin]
    before, end = "", begin  # the end of the code so far, and its place
    open_braces: list[str] = []  # each "{", or "`" for one in a template
    try:
        while match := _NEXT.search(text, begin):
            between = text[begin : match.start()]
            if between.strip():
                before, end = _end(before, between, text[end:begin]), begin + len(between.rstrip())
            shown = _shown(match, before, text[end : match.start()], open_braces)
            mask += [between, shown]
            begin = match.start() + len(shown)
            if shown.strip():
                before, end = _end(before, shown, text[end : match.start()]), begin
    except _Unsure:
        return None
    return None if open_braces else "".join(mask) + text[begin:]


def _end(before: str, code: str, between: str) -> str:
    """Return the end of the code when more follows, with a space where something is between."""
    return f"{before}{' ' if between else ''}{code}".rstrip()[-_LONGEST:]


def _shown(match: re.Match[str], before: str, between: str, open_braces: list[str]) -> str:
    """Return what stands in the mask for the part of a text that begins with a match, `before` it
    the end of the code and `between` them spaces and comments. Raises _Unsure.
    """
    sign, text = match[0], match.string
    if match["comment"]:
        return re.sub(r"[^\n]", " ", sign)
    if match["string"]:
        return _blank(sign)
    if sign == "/":
        return _of_slash(text, match.start(), before, between)
    if sign == "`" or (sign == "}" and open_braces and open_braces.pop() == "`"):
        return sign + _of_template(text, match.end(), open_braces)
    if sign == "{":
        open_braces.append(sign)
    elif sign != "}":
        raise _Unsure  # a string without an end
    return sign


def _of_slash(text: str, begin: int, before: str, between: str) -> str:
    """What stands for a pattern, or for the sign of a division."""
    if _BEFORE_A_PATTERN.search(before):
        pattern = _PATTERN.match(text, begin)
        if pattern is None:
            raise _Unsure
        return _blank(pattern[0])
    rest = text[begin + 1 :].partition("\n")[0]
    is_unsure = _UNSURE.search(before) or _LINE_END.search(between)
    if rest.startswith("*") or (is_unsure and "/" in rest):
        raise _Unsure  # a comment without an end, or perhaps a pattern
    return "/"


def _of_template(text: str, begin: int, open_braces: list[str]) -> str:
    """What stands for a template as far as its end, or the next code in it."""
    inside = _TEMPLATE.match(text, begin)
    end = inside.end() if inside else begin
    blank = BLANK * (end - begin)
    if text.startswith("${", end):
        open_braces.append("`")
        return f"{blank}${{"
    if text.startswith("`", end):
        return f"{blank}`"
    raise _Unsure


def _blank(found: str) -> str:
    return found[0] + BLANK * (len(found) - 2) + found[-1]
