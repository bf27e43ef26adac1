// How full the buffers of a program's streams are, at the step that a replay shows: a lane for each buffer, inside the replay.

import { levelsAt } from "../trace.js";

const { el } = globalThis.LabDom;

/** Put a box into a replay that follows its steps; hidden where the recording has no streams. */
export function addLevels(replay) {
  const list = el("ul", { role: "list" });
  const box = el(
    "section",
    { class: "levels", slot: "levels", "aria-label": "Buffers of the streams", hidden: true },
    el("p", { class: "title" }, "Buffers of the streams"),
    list,
  );
  const draw = () => {
    const { view } = replay;
    const recording = view?.recordings[+view.parts.which.value]?.recording;
    box.hidden = !recording?.buffers || view.parts.replay.hidden;
    if (box.hidden) return;
    const now = levelsAt(recording, view.model.steps[view.at].at);
    list.replaceChildren(
      ...recording.buffers.map(({ label, line, reads, writes }, at) =>
        el(
          "li",
          {},
          el("span", { class: "of" }, label, el("span", {}, ` line ${line}`)),
          lane("to be read", now[at][0], reads),
          lane("to be written", now[at][1], writes),
        ),
      ),
    );
  };
  replay.addEventListener("lab-step", draw);
  replay.addEventListener("lab-uncovered", draw);
  replay.append(box);
  draw();
}

/** One buffer: its level, its mark, and whether it is full. */
function lane(unit, level, mark) {
  if (level === null) return null;
  const isFull = level >= mark;
  const share = Math.min(1, level / Math.max(mark, 1)) * 100;
  const numbers = [level, mark].map((number) => number.toLocaleString("en")).join(" of ");
  return el(
    "span",
    { class: isFull ? "lane full" : "lane", style: `--level: ${share}%` },
    `${numbers} ${unit}${isFull ? ", full" : ""}`,
  );
}
