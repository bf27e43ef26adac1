// first-byte.mjs N: N requests, one after another; for each the time to the first byte of the body and to the last.
import { Agent, get } from "node:http";
import { performance } from "node:perf_hooks";
import { address, print } from "../shared/asking.mjs";

const agent = new Agent({ keepAlive: true });
const once = () =>
  new Promise((resolve, reject) => {
    const began = performance.now();
    const since = () => performance.now() - began;
    const request = get({ ...address(), agent }, (response) => {
      let first_ms = 0;
      response.on("data", () => (first_ms ||= since()));
      response.on("end", () => resolve({ first_ms, last_ms: since() }));
    });
    request.on("error", reject);
  });

for (let i = 0; i < 3; i += 1) await once();
for (let i = 0; i < Number(process.argv[2]); i += 1) print(await once());
agent.destroy();
