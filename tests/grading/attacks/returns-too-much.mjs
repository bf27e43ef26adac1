// summary. Returns a hundred megabytes.
export const summary = () => ({ throughput: "x".repeat(100 << 20) });
