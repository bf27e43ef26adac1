# Keeps its clients' connections. GET /1000 waits 1,000 ms, any other path is answered at once.
# The book uses it for what a coroutine for each client costs. Its loop waits in CALL: epoll, poll.
import asyncio
import os
import selectors
import signal

BODY = b"Data response"
RESPONSE = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: %d\r\n\r\n%s"
RESPONSE %= (len(BODY), BODY)


def wait_s(line):
    path = line.split()[1][1:]
    return int(path) / 1000 if path.isdigit() else 0


# a coroutine for each client
async def client(reader, writer):
    try:
        while line := await reader.readline():
            while (await reader.readline()).strip():
                pass
            await asyncio.sleep(wait_s(line))
            writer.write(RESPONSE)
    except ConnectionError:
        pass  # the client is gone
    finally:
        writer.close()


# end of the client
async def serve():
    port = int(os.environ.get("PORT", "0"))
    server = await asyncio.start_server(client, "127.0.0.1", port, backlog=1024)
    print(f"listening on http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
is_poll = os.environ.get("CALL") == "poll"
selector = selectors.PollSelector() if is_poll else selectors.DefaultSelector()
with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(selector)) as runner:
    runner.run(serve())
