// The figure of a server with its clients: how long they waited, the model's beside what was measured, on the same axes;
// and for what they waited, in a bar with a pattern for each cause.
import { CAUSES, quantile } from "../servers.js";

const { el, svg } = globalThis.LabDom;
const { tidy } = globalThis.LabNumbers;
const [WIDTH, HEIGHT] = [340, 220];
const EDGE = { left: 46, right: 8, top: 12, bottom: 38 };
const POINTS = 200; // of the model's curve
const LOG_FROM = 50; // the waits' ratio from which the axis is logarithmic
export const NAMES = {
  door: "for the loop, before the handler began",
  loop: "the loop computed for the request",
  line: "for a thread of the pool",
  thread: "on a thread of the pool",
  queue: "for a database connection",
  query: "in the database",
  rest: "anything else, such as timers, lists in the program and the loop again",
};
let figures = 0; // on this page, for the names of patterns

/** Ticks of an axis from `low` to `high`: round numbers. */
function ticksOf(low, high, isLog) {
  if (isLog) {
    const ticks = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
      ticks.push(10 ** power);
    return ticks.filter((tick) => tick >= low && tick <= high);
  }
  const raw = (high - low) / 6;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= raw);
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) =>
    Number(((first + i) * step).toPrecision(6)),
  );
}

/** The model's waits, which are sorted, at equal shares of its requests: [[share, ms]], from the shortest to the longest. */
export function curveOf(sorted) {
  const count = Math.min(POINTS, sorted.length);
  return Array.from({ length: count }, (_, i) => [
    (i + 0.5) / count,
    quantile(sorted, (i + 0.5) / count),
  ]);
}

const measuredCurve = ({ waits }) => waits.map((ms, i) => [(i + 0.5) / waits.length, ms]);

/** An svg element with both curves; `measured` may be null. */
export function drawWaits({ waits, measured, label }) {
  const id = `lab-model-waits-${++figures}`;
  const curves = [curveOf(waits), measured ? measuredCurve(measured) : []];
  const all = curves.flat().map(([, ms]) => ms);
  const highest = Math.max(...all, 1);
  const lowest = Math.max(0.01, Math.min(...all));
  const isLog = highest / lowest > LOG_FROM;
  const low = isLog ? 10 ** Math.floor(Math.log10(lowest)) : 0;
  const high = isLog ? highest * 1.3 : highest * 1.1;
  const along = (share) => EDGE.left + share * (WIDTH - EDGE.left - EDGE.right);
  const part = (ms) =>
    isLog ? Math.log(Math.max(ms, low) / low) / Math.log(high / low) : (ms - low) / (high - low);
  const up = (ms) => HEIGHT - EDGE.bottom - part(ms) * (HEIGHT - EDGE.top - EDGE.bottom);
  const line = (points) => {
    const [[, first]] = points;
    const [[, last]] = points.slice(-1);
    const middle = points.map(([share, ms]) => `${along(share).toFixed(1)} ${up(ms).toFixed(1)}`);
    return `M${along(0)} ${up(first).toFixed(1)}L${middle.join("L")}L${along(1)} ${up(last).toFixed(1)}`;
  };
  const [modelCurve, recordCurve] = curves;
  const grid = ticksOf(low, high, isLog).flatMap((tick) => [
    svg("line", { class: "grid", x1: along(0), x2: along(1), y1: up(tick), y2: up(tick) }),
    svg("text", { x: EDGE.left - 5, y: up(tick) + 4, "text-anchor": "end" }, tidy(tick)),
  ]);
  const shares = [0, 0.25, 0.5, 0.75, 1].map((share) =>
    svg(
      "text",
      {
        x: along(share),
        y: HEIGHT - EDGE.bottom + 15,
        "text-anchor": share === 1 ? "end" : "middle",
      },
      `${share * 100} %`,
    ),
  );
  const pattern = svg(
    "pattern",
    { id, width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    svg("rect", { class: "stripe", width: 3, height: 7 }),
  );
  const bottom = HEIGHT - EDGE.bottom;
  return svg(
    "svg",
    { class: "waits", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label },
    svg("defs", {}, pattern),
    ...grid,
    ...shares,
    modelCurve.length > 0
      ? svg("path", {
          class: "area",
          fill: `url(#${id})`,
          d: `${line(modelCurve)}L${along(1)} ${bottom}L${along(0)} ${bottom}Z`,
        })
      : null,
    modelCurve.length > 0 ? svg("path", { class: "model", d: line(modelCurve) }) : null,
    recordCurve.length > 0 ? svg("path", { class: "measured", d: line(recordCurve) }) : null,
    svg("line", { class: "axis", x1: along(0), x2: along(1), y1: bottom, y2: bottom }),
    svg("text", { x: along(0.5), y: HEIGHT - 4, "text-anchor": "middle" }, "share of the requests"),
    svg("text", { x: 2, y: 9 }, isLog ? "ms, log" : "ms"),
  );
}

/** For what a request waited, on average: a bar and a list. */
export function drawCauses(causes) {
  const total = CAUSES.reduce((sum, cause) => sum + causes[cause], 0);
  const causesShown = CAUSES.filter((cause) => causes[cause] > total * 0.0005 && causes[cause] > 0);
  if (causesShown.length === 0) return null;
  const parts = causesShown.map((cause) =>
    el("span", { class: `part of-${cause}`, style: `flex-grow: ${causes[cause] / total}` }),
  );
  const items = causesShown.map((cause) =>
    el(
      "li",
      {},
      el("span", { class: `key part of-${cause}`, "aria-hidden": "true" }),
      ` ${NAMES[cause]}: ${tidy(causes[cause])} ms`,
    ),
  );
  return el(
    "div",
    { class: "causes" },
    el("p", { class: "title" }, "What a request with a response waited for, on average (model)"),
    el("div", { class: "bar-of-causes", "aria-hidden": "true" }, ...parts),
    el("ul", {}, ...items),
  );
}
