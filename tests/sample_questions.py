"""Questions as a chapter writes them, and what an element of the page is given of them."""

import json
import re
from html.parser import HTMLParser

CHOICE = """
[wins]
ask = "Which wins, `sync` or *async*?"
right = "sync"
options.sync = { text = "The first", why = "Because < and & are characters." }
options.async = { text = "The second", why = "No." }
"""
RUN = """
[factor]
ask = "By what factor?"
unit = "times"
within = 2
why = "The waits overlap."
"""
ENDS = "</script><script>alert(1)</script><!--"  # what no text may do to the element that holds it


def data_of(html):
    """What is inside of the first element with data; it ends where a browser would end it."""
    return json.loads(re.search(r'<script type="application/json">(.*?)</script', html, re.I)[1])


class Scripts(HTMLParser):
    """The scripts that a browser would run, by their text."""

    def __init__(self, html):
        super().__init__()
        self.found, self.inside = [], False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.inside = tag == "script" and not dict(attrs).get("type")

    def handle_data(self, data):
        if self.inside:
            self.found.append(data)


def runs(html):
    """Whether the script that is in ENDS would run."""
    return "alert(1)" in Scripts(html).found or "<!--" in html


def texts_of(data):
    """Every text in it, in order."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        yield from (text for one in data.values() for text in texts_of(one))
    elif isinstance(data, list):
        yield from (text for one in data for text in texts_of(one))
