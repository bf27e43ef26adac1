const loop = 20; // {{loop}}

const quota = (files) => {
  const [most, period] = files["cpu.max"]
    ? files["cpu.max"].trim().split(/\s+/)
    : [files["cpu.cfs_quota_us"], files["cpu.cfs_period_us"]];
  const allowed = Number(most) / Number(period);
  return allowed > 0 ? allowed : Infinity;
};

export function threads(groups, processors) {
  const least = Math.min(...groups.map(quota));
  if (least === Infinity) return processors;
  const rest = Math.floor(least - loop / 100 + 1e-9);
  return Math.min(Math.max(rest, 1), processors);
}
