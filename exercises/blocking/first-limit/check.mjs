const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("firstLimit");
    return student;
  });
const said = async (t, server) => (await asked(t)).object("firstLimit", server);
/** A server that has room for many clients, but for what is given. */
const roomy = (t, given) => ({
  memory: 100_000,
  used: t.random.integer(30, 90),
  each: t.random.integer(20, 60),
  descriptors: 4_000_000,
  upstreams: 0,
  ports: t.random.integer(20_000, 30_000),
  ...given,
});

export default {
  async memory(t) {
    // The rest is more than half a client, so that rounding shows.
    const [clients, each, used] = [
      t.random.integer(2_000, 9_000),
      t.random.integer(3, 9) * 8,
      t.random.integer(30, 90),
    ];
    const memory = used + (clients * each + each * 0.75) / 1024;
    const { clients: saw } = await said(t, roomy(t, { memory, used, each }));
    const seen = { saw, wanted: clients };
    const situation = `the number of clients is wrong for a memory of ${memory} MiB, of which ${used} MiB are used, and ${each} KiB for each client`;
    t.ok(
      saw !== Math.floor((memory * 1024) / each),
      `${situation}. The memory that is used without clients is not available for clients`,
      seen,
    );
    t.ok(
      Math.abs(saw - ((memory - used) * 1000) / each) > 2,
      `${situation}. A MiB has 1,024 KiB`,
      seen,
    );
    t.ok(
      saw === clients || Math.abs(saw - clients) > 1,
      `${situation}. Do not count part of a client`,
      seen,
    );
    t.ok(saw !== 0, `${situation}. Without upstreams, clients take no port`, seen);
    t.ok(saw < 100_000, `${situation}. Another limit is smaller`, seen);
    t.equal(saw, clients, situation);
  },

  async descriptors(t) {
    const { spare } = t.parameters;
    const descriptors = t.random.integer(1_000, 5_000) * 2 + spare;
    const alone = await said(t, roomy(t, { descriptors }));
    const wanted = descriptors - spare;
    const situation = `the number of clients is wrong for ${descriptors} descriptors`;
    const seen = { saw: alone.clients, wanted };
    t.ok(alone.clients <= descriptors, `${situation}. Another limit is smaller`, seen);
    t.ok(
      alone.clients !== descriptors,
      `${situation}. Some of them are for things other than clients`,
      seen,
    );
    t.ok(
      alone.clients !== wanted / 2,
      `${situation} and a server that answers all requests by itself. Each of its clients takes one descriptor`,
      seen,
    );
    t.equal(alone.clients, wanted, `${situation} and a server that answers all requests by itself`);
    const upstreams = t.random.integer(2, 5);
    const proxy = await said(t, roomy(t, { descriptors, upstreams }));
    const both = { saw: proxy.clients, wanted: wanted / 2 };
    t.ok(
      proxy.clients !== wanted,
      `${situation} and a server with upstreams. Each of its clients takes a second descriptor`,
      both,
    );
    t.equal(proxy.clients, wanted / 2, `${situation} and a server with upstreams`);
    const odd = await said(t, roomy(t, { descriptors: descriptors + 1, upstreams }));
    t.equal(
      odd.clients,
      wanted / 2,
      `the number of clients is wrong for ${descriptors + 1} descriptors and a server with upstreams. Do not count part of a client`,
    );
  },

  async ports(t) {
    const upstreams = t.random.integer(2, 6);
    const ports = t.random.integer(1_000, 9_000);
    const proxy = await said(t, roomy(t, { upstreams, ports }));
    const situation = `the number of clients is wrong for ${ports} ports and ${upstreams} upstreams`;
    const seen = { saw: proxy.clients, wanted: ports * upstreams };
    t.ok(proxy.clients <= ports * upstreams, `${situation}. Another limit is smaller`, seen);
    t.ok(
      proxy.clients !== ports,
      `${situation}. The server can have ${ports} connections to each of the upstreams, and spreads the connections of its clients over all upstreams`,
      seen,
    );
    t.equal(proxy.clients, ports * upstreams, situation);
    const descriptors = 50_000 + t.parameters.spare;
    const alone = await said(t, roomy(t, { upstreams: 0, ports, descriptors }));
    t.ok(
      alone.clients !== 0 && alone.limit !== "ports" && alone.clients !== ports,
      "ports limited a server without upstreams, but its clients take no port",
      { saw: alone.clients, wanted: "no limit because of ports" },
    );
  },

  async first(t) {
    const { spare } = t.parameters;
    const cases = [
      [{ memory: 200, used: 100, each: 50 }, "memory"],
      [{ descriptors: 900 + spare }, "descriptors"],
      [{ descriptors: 900 + spare, upstreams: 1, ports: 100 }, "ports"],
      [{ descriptors: 900 + spare, upstreams: 1, ports: 20_000 }, "descriptors"],
      [{ memory: 200, used: 100, each: 50, upstreams: 9, ports: 20_000 }, "memory"],
    ];
    for (const [given, wanted] of cases) {
      const { limit } = await said(t, roomy(t, given));
      t.equal(limit, wanted, "`limit` is not the name of the limit that allows the fewest clients");
    }
    // 100 MiB for clients of 50 KiB are 2,048 of them.
    const memory = { memory: 200, used: 100, each: 50 };
    const equal = [
      [{ ...memory, descriptors: 2048 + spare }, "memory"],
      [{ ...memory, upstreams: 2, ports: 1024 }, "memory"],
      [{ descriptors: 4096 + spare, upstreams: 2, ports: 1024 }, "descriptors"],
    ];
    for (const [given, wanted] of equal) {
      const { limit } = await said(t, roomy(t, given));
      t.equal(
        limit,
        wanted,
        "two limits allow the same number of clients, but `limit` is not the first of them in the order of the task",
      );
    }
  },

  async full(t) {
    const { spare } = t.parameters;
    const cases = [
      ["memory", { memory: 100, used: 130 }],
      ["descriptors", { descriptors: spare - 7 }],
    ];
    for (const [wanted, given] of cases) {
      const { clients, limit } = await said(t, roomy(t, given));
      t.equal(
        clients,
        0,
        `a server has no room for clients, but \`clients\` is wrong (${JSON.stringify(given)})`,
      );
      t.equal(
        limit,
        wanted,
        "a server has no room for clients, but `limit` is not the name of the limit that allows none",
      );
    }
  },
};
