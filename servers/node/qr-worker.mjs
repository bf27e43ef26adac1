// One sheet of QR codes in a thread of its own, which ends with it.
// The book uses it as the price of a worker for each request: a whole V8 for one answer.
import { parentPort, workerData } from "node:worker_threads";
import { sheet } from "./qr-sheet.mjs";

parentPort.postMessage(sheet(workerData));
