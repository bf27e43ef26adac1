"""Prints the page of results as the build draws it, for each {book, yours} in a list on standard
input.
"""

import json
import sys
from types import SimpleNamespace

from lab.book.pages.yours import page, results

pages = []
for given in json.load(sys.stdin):
    mode = "live" if given["yours"] else "replay"
    made = given["yours"] or given["book"]
    build = SimpleNamespace(mode=mode, outcomes={}, waiting=list, _results=made)
    results.book = lambda book=given["book"]: book
    pages.append("".join(make(build).html for make in page.MAKERS.values()))
json.dump(pages, sys.stdout)
