// The raw rows of one stream: one per request, typed arrays while measuring, one file afterwards. Nothing is summarised here.
import { closeSync, openSync, renameSync, rmSync, writeSync } from "node:fs";

// One row takes 20 bytes, so 400 MB at most; 20 minutes at 16,000 requests per second.
export const MAX_ROWS = 20_000_000;
const BLOCK_ROWS = 65_536;

// Codes in the status column that are no HTTP status.
export const IN_FLIGHT = -1;
export const TIMED_OUT = -2;
export const REFUSED = -3;
export const RESET = -4;
export const CLOSED_EARLY = -5;
export const MALFORMED = -6;
export const WRONG_BODY = -7;
export const SOCKET_ERROR = -8;
export const NEVER_SENT = -9;

// Connection of a request that never got one.
export const NO_CONNECTION = 65_535;

const COLUMNS = [
  { name: "t_end_us", type: "u32", array: Uint32Array },
  { name: "latency_us", type: "u32", array: Uint32Array },
  { name: "status", type: "i16", array: Int16Array },
  { name: "connect_us", type: "u32", array: Uint32Array },
  { name: "late_us", type: "u32", array: Uint32Array },
  { name: "connection", type: "u16", array: Uint16Array },
];

// Blocks instead of one growing array: no pause for copying in the middle of a measurement.
class Block {
  constructor() {
    for (const { name, array } of COLUMNS) this[name] = new array(BLOCK_ROWS);
  }
}

export class Rows {
  #blocks = [new Block()];
  #block = this.#blocks[0];
  #used = 0; // rows in the current block
  #lastEnd = 0;
  #sorted = true;

  get length() {
    return (this.#blocks.length - 1) * BLOCK_ROWS + this.#used;
  }

  // All times in microseconds, fractions are rounded; t_end_us counts from the start of the load.
  add(tEnd, latency, status, connect, late, connection) {
    if (this.#used === BLOCK_ROWS) this.#nextBlock();
    const block = this.#block;
    const row = this.#used++;
    block.t_end_us[row] = tEnd + 0.5;
    block.latency_us[row] = latency + 0.5;
    block.status[row] = status;
    block.connect_us[row] = connect + 0.5;
    block.late_us[row] = late + 0.5;
    block.connection[row] = connection;
    if (tEnd < this.#lastEnd) this.#sorted = false;
    this.#lastEnd = tEnd;
  }

  get full() {
    return this.#blocks.length * BLOCK_ROWS > MAX_ROWS;
  }

  #nextBlock() {
    this.#block = new Block();
    this.#blocks.push(this.#block);
    this.#used = 0;
  }

  // Writes the columns one after another, little endian, rows ordered by t_end_us; the file appears complete or not at all.
  write(file) {
    const order = this.#sorted ? null : this.#order();
    const partial = `${file}.partial`;
    try {
      const descriptor = openSync(partial, "w");
      try {
        for (const { name, array } of COLUMNS) {
          for (const part of this.#parts(name, array, order)) writeAll(descriptor, part);
        }
      } finally {
        closeSync(descriptor);
      }
      renameSync(partial, file);
    } catch (error) {
      rmSync(partial, { force: true });
      throw new Error(
        `the raw rows could not be written to ${file}: ${error.message}; free some space or give another raw_dir`,
      );
    }
    return {
      file,
      rows: this.length,
      columns: COLUMNS.map(({ name, type }) => ({ name, type })),
    };
  }

  #order() {
    const order = Uint32Array.from({ length: this.length }, (_, row) => row);
    return order.sort((a, b) => this.#at("t_end_us", a) - this.#at("t_end_us", b) || a - b);
  }

  #at(name, row) {
    return this.#blocks[Math.floor(row / BLOCK_ROWS)][name][row % BLOCK_ROWS];
  }

  *#parts(name, array, order) {
    if (order !== null) {
      yield array.from(order, (row) => this.#at(name, row));
      return;
    }
    for (const block of this.#blocks) {
      yield block === this.#block ? block[name].subarray(0, this.#used) : block[name];
    }
  }
}

function writeAll(descriptor, part) {
  const bytes = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(descriptor, bytes, written);
  }
}
