export const half = (value: number): number => value / 2;
