"""Drawings that explain: each has its words, its caption, and the colours of the page."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from docutils import nodes

from lab.book.site import pictures

ROOT = Path(__file__).parents[2]
FIGURE = re.compile(
    r"^```\{figure\} (\S+\.svg)\n---\nalt: >-\n(.+?)\n---\n(.+?)\n```$", re.M | re.S
)
SHOWN = {
    (page.parent / name).resolve(): (" ".join(alt.split()), caption)
    for page in sorted(ROOT.glob("book/**/*.md"))
    for name, alt, caption in FIGURE.findall(page.read_text("utf-8"))
}
DRAWN = [file for file in ROOT.glob("book/**/*.svg") if "_static" not in file.parts]
STYLE = re.compile(r"<style>.*?</style>", re.S)
LEAST_PX = 12  # of letters, on a phone, where a drawing is as wide as its view box
PHONE_PX = 360

each = pytest.mark.parametrize("file", DRAWN, ids=lambda file: file.stem)


def test_there_are_drawings_and_each_is_shown_on_a_page():
    assert DRAWN
    assert SHOWN.keys() == set(DRAWN)


@each
def test_a_drawing_is_told_in_words_and_has_a_caption(file):
    alt, caption = SHOWN[file]
    assert alt.endswith(".") and len(alt.split()) > 20
    assert 3 < len(caption.split()) < 20


@each
def test_every_word_of_a_drawing_that_is_a_name_is_told(file):
    root = ElementTree.fromstring(file.read_text("utf-8"))
    alt = SHOWN[file][0].lower()
    names = [t.text for t in root.iter() if "name" in t.attrib.get("class", "").split()]
    words = {word for name in names for word in re.findall(r"[a-z]{4,}", name.lower())}
    assert [word for word in sorted(words) if word.rstrip("s") not in alt] == []


@each
def test_drawings_share_their_lines_letters_and_colours(file):
    text = file.read_text("utf-8")
    (style,) = STYLE.findall(text)
    assert style == STYLE.findall(DRAWN[0].read_text("utf-8"))[0]
    colours = re.sub(r"var\(--lab-[\w-]+, #[0-9a-f]{6}\)", "", text)
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b|rgb|(?:fill|stroke)=", colours) == []


@each
def test_a_drawing_can_be_read_on_a_phone(file):
    root = ElementTree.fromstring(file.read_text("utf-8"))
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    assert width <= PHONE_PX and height <= PHONE_PX * 1.2
    sizes = re.findall(r"font-size: ?([\d.]+)px", file.read_text("utf-8"))
    assert sizes and min(map(float, sizes)) >= LEAST_PX


@each
def test_nothing_of_a_drawing_lies_outside_of_it(file):
    root = ElementTree.fromstring(file.read_text("utf-8"))
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for one in root.iter("{http://www.w3.org/2000/svg}rect"):
        at = {key: float(one.attrib.get(key, 0)) for key in ("x", "y", "width", "height")}
        assert at["x"] >= 0 and at["x"] + at["width"] <= width, one.attrib
        assert at["y"] >= 0 and at["y"] + at["height"] <= height, one.attrib


SOURCE = '<svg xmlns="http://www.w3.org/2000/svg" class="lab-picture" viewBox="0 0 9 9"><g/></svg>'


def test_a_page_has_the_drawing_itself_as_one_image_with_its_words():
    html = pictures.inlined(SOURCE, 'one "two" <three>')
    root = ElementTree.fromstring(html)
    assert root.attrib == {
        "role": "img",
        "aria-label": 'one "two" <three>',
        "class": "lab-picture",
        "viewBox": "0 0 9 9",
    }


def test_what_is_no_drawing_of_ours_is_refused():
    with pytest.raises(ValueError, match="begins with"):
        pictures.inlined('<svg onload="x()">', "words")


def test_a_figure_takes_it_in_before_images_are_copied_and_other_images_stay(tmp_path):
    (tmp_path / "a.svg").write_text(SOURCE)
    paths_noted = []

    class Env:
        docname = "book/one/page"

        def relfn2path(self, uri, _docname):
            return f"book/one/{uri}", str(tmp_path / uri)

        def note_dependency(self, path):
            paths_noted.append(path)

    class App:
        env = Env()

    document = nodes.section()
    drawn = nodes.figure("", nodes.image(uri="a.svg", alt="told"), nodes.caption("", "caption"))
    photo = nodes.figure("", nodes.image(uri="a.png", alt="told"))
    document += [drawn, photo, nodes.image(uri="a.svg", alt="no figure")]
    pictures._put_in(App(), document)
    assert isinstance(drawn[0], nodes.raw) and 'aria-label="told"' in drawn[0].astext()
    assert paths_noted == ["book/one/a.svg"]
    assert len(list(document.findall(nodes.image))) == 2
