# Reads a small JSON file for every request and returns it, with Pycnic; gunicorn runs `app`.
# The book uses it as the Python side of "Express compared to Pycnic", in one process and several.
import os

from pycnic.core import WSGI, Handler

FILE = os.environ.get("FILE", "data/foo.json")
HEADERS = os.environ.get("HEADERS", "equal")


class Foo(Handler):
    def get(self):
        with open(FILE, encoding="utf-8") as file:  # noqa: PTH123  as the published server
            text = file.read()
        if HEADERS == "equal":
            # Pycnic, and so "published", sends no length: gunicorn sends chunks to HTTP/1.1.
            self.response.set_header("Content-Length", str(len(text.encode())))
        return text


class app(WSGI):
    routes = (("/", Foo()),)
