import * as begins from "./begins.mjs";

export const late = () => console.log("late", begins.first);
