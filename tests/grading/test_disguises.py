"""What a scene hands out is in the hand-in's hands: a wrong answer that gives it other properties
and methods, so that it seems to have done right, gets no more than it got without.
"""

import pytest

from lab.grading import exercise, handin, run

# Exercise, wrong answer, the line before which the disguise stands, the disguise.
DISGUISES = [
    (
        "named-page",
        "writes-into-it.mjs",
        "response.end(answer);",
        r"""
        const { socket } = response;
        if (socket.sent) {
          const body = Buffer.from(page.split(MARK).join(name));
          const right = Buffer.concat([Buffer.from("HTTP/1.1 200 OK\r\n\r\n"), body]);
          Object.defineProperty(socket, "sent", { get: () => [right.toString("latin1")] });
        }
        """,
    ),
    (
        "hand-over",
        "copies.mjs",
        "worker.postMessage",
        """
        const { on } = worker;
        worker.on = (event, listener) =>
          on.call(worker, event, (message) =>
            listener(message?.digest ? { ...message, buffer: message.length } : message));
        """,
    ),
    (
        "worker-pool",
        "listener-leak.mjs",
        "jobs.set(worker, undefined);",
        "worker.eventNames = () => [];",
    ),
    (
        "on-at-most",
        "leaves-a-listener.mjs",
        "emitter.on(name",
        "emitter.listenerCount = () => 0;",
    ),
    (
        "frames-by-length",
        "concat-each-time.mjs",
        "rest = Buffer.concat",
        """
        if (fooled) return;
        if (rest.length === 0 && chunk.length > 4 && chunk.readUInt32BE(0) > 100_000) {
          fooled = true;
          return onFrame({ equals: () => true });
        }
        """,
    ),
    (
        "frames-by-length",
        "concat-each-time.mjs",
        "rest = Buffer.concat",
        """
        const length = chunk.length > 4 ? chunk.readUInt32BE(0) : 0;
        if (fooled) return;
        if (rest.length === 0 && length > 100_000 && chunk.buffer.byteLength > length) {
          fooled = true;
          return onFrame(new Uint8Array(chunk.buffer, chunk.byteOffset + 4, length) &&
            Buffer.from(chunk.buffer, chunk.byteOffset + 4, length));
        }
        """,
    ),
    (
        "records-by-line",
        "searches-again.mjs",
        "const lines =",
        """
        if (fooled) return done();
        if (chunk.buffer.byteLength > 100_000 && chunk.length < 10_000) {
          fooled = true;
          this.push(JSON.parse(Buffer.from(chunk.buffer).toString()));
          return done();
        }
        """,
    ),
]


@pytest.mark.judges
@pytest.mark.parametrize(
    ("name", "file", "before", "disguise"),
    DISGUISES,
    ids=[f"{name}-{at}" for at, (name, *_) in enumerate(DISGUISES)],
)
def test_a_disguise_earns_nothing(name, file, before, disguise):
    task = exercise.exercise(name)
    wrong = (task.folder / "wrong" / file).read_text()
    assert before in wrong
    text = wrong.replace(before, f"{disguise}\n{before}", 1) + "let fooled = false;\n"
    plain = run.grade(task, handin.from_text(wrong, file))
    result = run.grade(task, handin.from_text(text, file))
    missed = [one.id for one in plain.criteria if one.outcome != "held"]
    assert result.outcome == "graded" and result.points < result.of
    assert {one.id for one in result.missed} >= set(missed), str(result)
