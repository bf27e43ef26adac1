"""PostgreSQL with the table of data/books.sql, for the server that COMMAND starts: DATABASE_URL.
The book uses it where a server has a database behind it. Both start and end together.

    with_books.py COMMAND...      AUTH says how clients prove who they are; 69: there is no database
"""

import os
import signal
import subprocess
import sys

from lab import paths
from lab.errors import LabError
from lab.servers import postgres

UNAVAILABLE = 69  # EX_UNAVAILABLE of sysexits.h

command, own = sys.argv[1:], os.environ.get("DATABASE_URL")
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # until there is something to end
if own:  # the reader's own PostgreSQL
    import psycopg

    try:
        psycopg.connect(own, connect_timeout=3).execute("SELECT FROM books")
    except psycopg.Error as error:
        sys.exit(f"DATABASE_URL: {error}\nLoad data/books.sql there, or unset DATABASE_URL.")
    os.execvp(command[0], command)
try:
    with postgres.start(paths.DATA / "books.sql", os.environ["AUTH"]) as database:
        server = subprocess.Popen(command, env={**os.environ, "DATABASE_URL": database.url})
        signal.signal(signal.SIGTERM, lambda *_: server.terminate())
        code = server.wait()
    sys.exit(code)
except LabError as error:
    print(error, file=sys.stderr, flush=True)
    sys.exit(UNAVAILABLE)
