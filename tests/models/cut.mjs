// Every cut through some texts, as Buffer and StringDecoder have it.
import assert from "node:assert/strict";
import { StringDecoder } from "node:string_decoder";
import { modelOf, say } from "./_model.mjs";

const model = await modelOf("cut");
let cases = 0;
for (const text of ["héllo €", "a", "", "日本語", "👍🏽é", "\ufeffx", "�", "ä€\u{10ffff}ÿ"]) {
  const bytes = Buffer.from(text);
  for (let at = 0; at <= bytes.length; at += 1) {
    const chunks = model.chunks({ text, at });
    const [a, b] = [bytes.subarray(0, at), bytes.subarray(at)];
    assert.deepEqual(
      chunks.map((chunk) => Buffer.from(chunk)),
      [a, b],
    );
    const decoder = new StringDecoder("utf8");
    const real = {
      add: [a.toString(), b.toString()],
      decoder: [decoder.write(a), decoder.write(b) + decoder.end()],
      concat: Buffer.concat([a, b]).toString(),
    };
    assert.deepEqual(model.readers(chunks), real, `${text} cut at ${at}`);
    const told = model.told({ text, at });
    assert.equal(
      told.includes("all three"),
      real.add.join("") === text,
      `${text} at ${at}: ${told}`,
    );
    cases += 1;
  }
}
say(cases);
