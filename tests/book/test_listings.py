"""A listing whose long lines wrap on a phone has the text that it had, and each line its depth."""

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

from lab.book.site.listings import Listing, line

LONG = "const total = first + second + third;"
WORD = "aWordThatIsLongerThanALineOfThePhone"


class Tree(HTMLParser):
    """Fails where tags do not close in the order in which they opened."""

    def __init__(self, html):
        super().__init__()
        self.open = []
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def listing(text, language="javascript"):
    html = highlight(text, get_lexer_by_name(language, stripnl=False), Listing())
    Tree(html)
    return html


def text_of(html):
    return unescape(re.sub("<[^>]*>", "", html))


@pytest.mark.parametrize("language", ["javascript", "python", "console", "text"])
@pytest.mark.parametrize(
    "text",
    [
        f"if (a) {{\n    {LONG}\n}}\n",
        f"\n\n{LONG}\n\n\nshort\n",
        f"x = '''{LONG}\n{LONG}\n\n    {LONG}'''\n",
        f"        '{WORD}'\n",
        "    '" + '&<>"' * 20 + "'\n",
        "    '" + "\N{GRINNING FACE}é" * 20 + "'\n",
        f"{LONG}\r\n    {LONG}\r\n",
        f"\t{LONG}\n",
    ],
)
def test_the_text_of_a_listing_stays(text, language):
    plain = highlight(text, get_lexer_by_name(language, stripnl=False), HtmlFormatter())
    assert text_of(listing(text, language)) == text_of(plain)


def test_a_line_that_a_phone_wraps_says_how_far_it_is_set_in_and_a_shorter_one_does_not():
    html = listing(f"{LONG}\n    {LONG}\n    short(1);\n")
    assert re.findall(r'<span class="lab-line"([^>]*)>', html) == ["", ' style="--in:4"']
    assert html.count("lab-line") == 2


@pytest.mark.parametrize(("length", "wraps"), [(28, False), (29, True)])
def test_a_line_wraps_by_the_letters_that_are_seen(length, wraps):
    seen = "&lt;" * (length - 1) + '<span class="a">&amp;</span>\n'
    assert line(seen).startswith('<span class="lab-line">') is wraps
    assert wraps or line(seen) == seen


def test_a_first_word_longer_than_a_phone_stays_with_the_spaces_before_it():
    html = listing(f'        "{WORD}";\n')
    (begun,) = re.findall(r'<span class="lab-begun">(.*?)</span></span>', html)
    assert text_of(begun) == '        "'
    assert "lab-begun" not in listing(f'        "{WORD[:10]}" + "{WORD}";\n')


def test_empty_lines_at_the_end_go_and_others_stay():
    assert text_of(listing("\na\n\nb\n\n   \n\n")).rstrip("\n") == "\na\n\nb"
