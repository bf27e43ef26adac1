"""The badges of README are facts of the repository, and README asks no other host for a picture."""

import re
from xml.etree import ElementTree

from lab import paths
from lab.book.pages import badges

README = (paths.ROOT / "README.md").read_text("utf-8")
MOST_WORDS = 600


def test_the_badges_of_readme_are_what_the_repository_says_today():
    assert badges.FILE.read_text("utf-8") == badges.file_text(), (
        "`python -m lab.book picture` draws docs/badges.svg again"
    )
    assert f"![{badges.words()}](docs/badges.svg)" in README


def test_each_badge_says_its_words_and_lies_in_the_picture():
    root = ElementTree.fromstring(badges.file_text())
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == [word for fact in badges.facts().items() for word in fact]
    assert root.attrib["aria-label"] == badges.words()
    boxes = [
        (float(box.attrib["x"]), float(box.attrib["width"]))
        for box in root.iter("{http://www.w3.org/2000/svg}rect")
    ]
    ends = [x + width for x, width in boxes]
    assert max(ends) == float(root.attrib["width"])
    assert all(x >= end for (x, _), end in zip(boxes[1:], ends, strict=False))


def test_readme_is_short_and_its_pictures_come_with_it():
    assert len(README.split()) <= MOST_WORDS
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", README)
    assert len(pictures) == 2
    assert all((paths.ROOT / name).is_file() for name in pictures)
