// Checks a specification of a load and turns it into what the generator runs: defaults filled in, the request prebuilt.
import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { buildRequest, TOKEN } from "./request.mjs";
import { MAX_ROWS } from "./rows.mjs";
import {
  integer,
  number,
  oneOf,
  optional,
  requireObject,
  SpecError,
  show,
} from "./spec-values.mjs";

const SPEC_KEYS = ["streams", "warmup_s", "settle", "measure_s", "raw_dir"];
const SETTLE_KEYS = ["look_s", "within", "cap_s"];
const STREAM_KEYS = [
  "name",
  "url",
  "method",
  "headers",
  "body_base64",
  "loop",
  "connections",
  "rate_per_s",
  "schedule",
  "seed",
  "keep_alive",
  "requests",
  "per_connection",
  "timeout_s",
  "expect",
];
const EXPECT_KEYS = ["status", "bytes", "sha256"];
const MAX_STREAMS = 8;
const MAX_CONNECTIONS = 10_000;
const MAX_SECONDS = 600;
const MAX_RATE_PER_S = 1_000_000;
const MAX_SCHEDULED = 5_000_000;
// With a fixed count measure_s is only the limit.
const DEFAULT_LIMIT_S = 60;

// One line of JSON -> { streams, warmupS, settle, longestWarmupS, measureS, rawDir }; throws SpecError.
export function readSpec(line) {
  let spec;
  try {
    spec = JSON.parse(line);
  } catch (error) {
    throw new SpecError(`the specification is not one line of JSON: ${error.message}`);
  }
  requireObject(spec, "the specification", SPEC_KEYS);
  if (
    !Array.isArray(spec.streams) ||
    spec.streams.length < 1 ||
    spec.streams.length > MAX_STREAMS
  ) {
    throw new SpecError(
      `streams must be a list of 1 to ${MAX_STREAMS} streams, not ${show(spec.streams)}`,
    );
  }
  const warmupS = number(spec.warmup_s ?? 0, "warmup_s", 0, MAX_SECONDS);
  const counted = spec.streams.some((stream) => stream?.requests != null);
  const settle = optional(spec.settle, (value) => readSettle(value, counted));
  const longestWarmupS = Math.max(warmupS, settle?.capS ?? 0);
  const measureS = number(
    spec.measure_s ?? (counted ? DEFAULT_LIMIT_S : undefined),
    "measure_s",
    0.001,
    MAX_SECONDS,
  );
  const rawDir = spec.raw_dir;
  if (typeof rawDir !== "string" || !isAbsolute(rawDir) || !existsSync(rawDir)) {
    throw new SpecError(
      `raw_dir must be an existing directory, as an absolute path, not ${show(rawDir)}`,
    );
  }
  const streams = spec.streams.map((stream, index) =>
    readStream(stream, `streams[${index}]`, longestWarmupS + measureS),
  );
  if (new Set(streams.map(({ name }) => name)).size < streams.length) {
    throw new SpecError("two streams have the same name; give each its own");
  }
  return { streams, warmupS, settle, longestWarmupS, measureS, rawDir };
}

function readSettle(value, counted) {
  requireObject(value, "settle", SETTLE_KEYS);
  if (counted) {
    throw new SpecError(
      "settle belongs to a load for a time: of a fixed count nothing is cut away",
    );
  }
  const lookS = number(value.look_s, "settle.look_s", 0.09, MAX_SECONDS);
  return {
    lookS,
    within: number(value.within, "settle.within", 0, 1),
    capS: number(value.cap_s, "settle.cap_s", lookS, MAX_SECONDS),
  };
}

function readStream(stream, where, durationS) {
  requireObject(stream, where, STREAM_KEYS);
  const name = stream.name ?? "main";
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name)) {
    throw new SpecError(`${where}.name must be 1 to 64 letters, digits, - or _, not ${show(name)}`);
  }
  const url = readUrl(stream.url, where);
  const method = stream.method ?? "GET";
  if (!TOKEN.test(method) || method === "CONNECT") {
    throw new SpecError(
      `${where}.method must be an HTTP method other than CONNECT, not ${show(method)}`,
    );
  }
  const keepAlive = oneOf(stream.keep_alive ?? true, `${where}.keep_alive`, [true, false]);
  const definition = {
    name,
    host: url.hostname === "localhost" ? "127.0.0.1" : url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || 80),
    method,
    keepAlive,
    request: buildRequest(stream, where, url, method, keepAlive),
    loop: oneOf(stream.loop ?? "closed", `${where}.loop`, ["closed", "open"]),
    connections: integer(stream.connections ?? 10, `${where}.connections`, 1, MAX_CONNECTIONS),
    timeoutS: number(stream.timeout_s ?? 10, `${where}.timeout_s`, 0.001, MAX_SECONDS),
    perConnection: oneOf(stream.per_connection ?? false, `${where}.per_connection`, [true, false]),
    requests: optional(stream.requests, (value) =>
      integer(value, `${where}.requests`, 1, MAX_ROWS),
    ),
    expect: optional(stream.expect, (value) => readExpect(value, `${where}.expect`)),
  };
  return Object.assign(definition, readLoop(stream, where, definition, durationS));
}

function readLoop(stream, where, { loop, requests, perConnection, connections }, durationS) {
  const schedule = oneOf(stream.schedule ?? "poisson", `${where}.schedule`, [
    "poisson",
    "constant",
  ]);
  const seed = integer(stream.seed ?? 1, `${where}.seed`, 0, Number.MAX_SAFE_INTEGER);
  if (loop === "closed") {
    if (stream.rate_per_s != null) {
      throw new SpecError(
        `${where}.rate_per_s belongs to an open loop; say "loop": "open" or leave it out`,
      );
    }
    if (perConnection && requests * connections > MAX_ROWS) {
      throw new SpecError(
        `${where} asks for more than ${MAX_ROWS} requests in total; lower requests`,
      );
    }
    return { schedule, seed, ratePerS: null };
  }
  if (requests !== null) {
    throw new SpecError(
      `${where}.requests belongs to a closed loop; an open loop ends after measure_s`,
    );
  }
  const ratePerS = number(stream.rate_per_s, `${where}.rate_per_s`, 0.001, MAX_RATE_PER_S);
  if (ratePerS * durationS > MAX_SCHEDULED) {
    throw new SpecError(
      `${where}: ${ratePerS}/s for ${durationS} s is more than ${MAX_SCHEDULED} requests; lower the rate or the time`,
    );
  }
  return { schedule, seed, ratePerS };
}

function readUrl(value, where) {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : null;
  if (url === null || url.protocol !== "http:" || url.username !== "" || url.hash !== "") {
    throw new SpecError(
      `${where}.url must look like http://127.0.0.1:8000/path, not ${show(value)}`,
    );
  }
  if (!/^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(url.hostname)) {
    throw new SpecError(
      `${where}.url must be on this machine (127.0.0.1, [::1] or localhost), not ${url.hostname}: ` +
        "a load test of somebody else's server is an attack",
    );
  }
  return url;
}

function readExpect(expect, where) {
  requireObject(expect, where, EXPECT_KEYS);
  const { sha256 = null } = expect;
  if (sha256 !== null && !/^[0-9a-f]{64}$/.test(sha256)) {
    throw new SpecError(
      `${where}.sha256 must be 64 lower-case hexadecimal digits, not ${show(sha256)}`,
    );
  }
  return {
    status: optional(expect.status, (value) => integer(value, `${where}.status`, 200, 599)),
    bytes: optional(expect.bytes, (value) => integer(value, `${where}.bytes`, 0, 2 ** 40)),
    sha256,
  };
}
