# Starts nginx, one process, to answer with FILE; writes its configuration, and removes it.
# The book uses it as the yardstick of 2010 and of today: it copies no body, the kernel sends it.
import os
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

FILE = Path(os.environ["FILE"]).resolve()
PORT = int(os.environ.get("PORT", "0"))
if not PORT:  # nginx cannot say which port it was given
    with socket.create_server(("127.0.0.1", 0)) as free:
        PORT = free.getsockname()[1]

kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
CONFIGURATION = f"""
daemon off; master_process off; pid nginx.pid; error_log stderr warn;
events {{ worker_connections 2048; }}
http {{
  {" ".join(f"{kind}_temp_path {kind};" for kind in kinds)}
  access_log off; sendfile on; tcp_nopush on; etag off; keepalive_requests 100000000;
  types {{ }} default_type "text/plain; charset=utf-8";
  server {{
    listen 127.0.0.1:{PORT} backlog=511;
    location / {{ root .; try_files /body =404; }}
  }}
}}
"""


def stop(*_):
    raise SystemExit(0)  # by the ways out below: nginx goes first, then the folder


signal.signal(signal.SIGTERM, stop)
with tempfile.TemporaryDirectory() as folder:
    Path(folder, "body").symlink_to(FILE)  # blanks, quotes and $ mean something in a configuration
    Path(folder, "nginx.conf").write_text(CONFIGURATION)
    words = ["nginx", "-e", "stderr", "-p", folder, "-c", "nginx.conf"]
    nginx = subprocess.Popen(words, env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin"})
    try:
        while nginx.poll() is None:
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", PORT)) == 0:
                    break
            time.sleep(0.01)
        else:
            raise SystemExit(f"nginx ended before it listened (exit code {nginx.returncode})")
        print(f"listening on http://127.0.0.1:{PORT}", flush=True)
        raise SystemExit(nginx.wait())
    finally:
        nginx.terminate()
        nginx.wait()
