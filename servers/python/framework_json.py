# Returns a small JSON text through the framework that FRAMEWORK names; gunicorn runs `app`.
# The book uses it to repeat the table of frameworks in the README of Pycnic's benchmark.
import os
from json import dumps

FRAMEWORK = os.environ.get("FRAMEWORK", "pycnic")
MESSAGE = {"message": "Hello, world!"}
TYPE = "application/json"
match FRAMEWORK:
    case "bobo":
        import bobo

        get = bobo.query("/", content_type=TYPE)
        app = bobo.Application(bobo_resources=[get(lambda: dumps(MESSAGE))])
    case "bottle":
        from bottle import Bottle, HTTPResponse

        app = Bottle()
        app.get("/", callback=lambda: HTTPResponse(dumps(MESSAGE), content_type=TYPE))
    case "cherrypy":
        import cherrypy

        class Root:
            @cherrypy.expose
            def index(self):
                cherrypy.response.headers["Content-Type"] = TYPE
                return dumps(MESSAGE).encode()

        cherrypy.config.update({"environment": "embedded", "log.screen": False})
        app = cherrypy.Application(Root())
    case "falcon":
        import falcon

        class Hello:
            def on_get(self, _, response):
                response.content_type, response.text = TYPE, dumps(MESSAGE)

        app = falcon.App()
        app.add_route("/", Hello())
    case "flask":
        from flask import Flask, Response

        app = Flask(__name__)
        app.get("/")(lambda: Response(dumps(MESSAGE), content_type=TYPE))
    case "pycnic":
        from pycnic.core import WSGI, Handler

        class Get(Handler):
            def get(self):
                text = dumps(MESSAGE)  # Pycnic sends no length, and the other frameworks send one.
                self.response.set_header("Content-Length", str(len(text)))
                return text

        app = type("app", (WSGI,), {"routes": (("/", Get()),)})
    case _:
        raise SystemExit(f"FRAMEWORK is {FRAMEWORK}: it may be bobo, bottle, cherrypy, falcon, …")
