const spare = 20; // {{spare}}

export function firstLimit({ memory, used, each, descriptors, upstreams, ports }) {
  const isProxy = upstreams > 0;
  const limits = {
    memory: ((memory - used) * 1024) / each,
    descriptors: (descriptors - spare) / (isProxy ? 2 : 1),
    ports: isProxy ? ports * upstreams : Number.POSITIVE_INFINITY,
  };
  let first = "memory";
  const fit = (limit) => Math.max(0, Math.floor(limits[limit]));
  for (const limit of Object.keys(limits)) if (fit(limit) < fit(first)) first = limit;
  return { clients: fit(first), limit: first };
}
