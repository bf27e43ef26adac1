/** `3 s`, `40 s`, `2 min`: as precise as a reader needs. */
export function lasting(seconds) {
  if (seconds < 1.5) return "1 s";
  if (seconds < 20) return `${Math.round(seconds)} s`;
  if (seconds < 90) return `${Math.round(seconds / 5) * 5} s`;
  return `${Math.round(seconds / 60)} min`;
}

export const cells = (n) => (n === 1 ? "1 cell" : `${n} cells`);

export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false && value !== undefined)
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export const button = (text, onclick, attributes = {}) =>
  el("button", { type: "button", onclick, ...attributes }, text);
