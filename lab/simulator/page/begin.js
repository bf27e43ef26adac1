// The first script of the worker. What the build packed is the worker's own script and the engine; a script may
// come from a blob here, and is evaluated from nowhere else.
import { unpack } from "./unpack.js";

const bytes = unpack(globalThis.MODEL_PACKED);
const end = bytes.indexOf(10);
const length = Number(new TextDecoder().decode(bytes.subarray(0, end)));
const script = bytes.subarray(end + 1, end + 1 + length);
globalThis.MODEL_BEGIN = { unpack, packed: bytes.subarray(end + 1 + length) };
const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
importScripts(url);
URL.revokeObjectURL(url);
