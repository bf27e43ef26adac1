// shares.mjs: which process of a cluster answers 100 requests, each on a connection of its own, one after the other and twenty at a
// time, and which one 100 requests on one connection?
import { print } from "../../streams/shared/asking.mjs";
import { ask, client } from "./_asking.mjs";

const counted = (ids) => {
  const times = [...new Set(ids)].map((id) => ids.filter((one) => one === id).length);
  const most = Math.max(...times);
  return { "the one": most, "the other": ids.length - most };
};

const after = async (agent) => {
  const ids = [];
  for (let i = 0; i < 100; i++) ids.push(await ask("/who", agent));
  return ids;
};
const atOnce = async () => {
  const ids = [];
  for (let i = 0; i < 5; i++)
    ids.push(...(await Promise.all(Array.from({ length: 20 }, () => ask("/who")))));
  return ids;
};
const one = client();
print({ requests: "each on its own, one after the other", ...counted(await after(false)) });
print({ requests: "each on its own, twenty at a time", ...counted(await atOnce()) });
print({ requests: "all on one connection", ...counted(await after(one)) });
one.destroy();
