// Values of a specification, each checked with a message that names the key, the value seen and what would do.

export class SpecError extends Error {}

export function requireObject(value, where, keys) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new SpecError(`${where} must be an object, not ${show(value)}`);
  }
  const unknown = Object.keys(value).find((key) => keys !== null && !keys.includes(key));
  if (unknown !== undefined) {
    throw new SpecError(
      `${where} has an unknown key ${show(unknown)}; known are ${keys.join(", ")}`,
    );
  }
}

export function number(value, where, least, most) {
  if (typeof value !== "number" || !(value >= least && value <= most)) {
    throw new SpecError(`${where} must be a number from ${least} to ${most}, not ${show(value)}`);
  }
  return value;
}

export function integer(value, where, least, most) {
  if (!Number.isInteger(value)) {
    throw new SpecError(
      `${where} must be a whole number from ${least} to ${most}, not ${show(value)}`,
    );
  }
  return number(value, where, least, most);
}

export function oneOf(value, where, choices) {
  if (!choices.includes(value)) {
    throw new SpecError(`${where} must be ${choices.map(show).join(" or ")}, not ${show(value)}`);
  }
  return value;
}

export function optional(value, read) {
  return value === null || value === undefined ? null : read(value);
}

export function show(value) {
  const text = JSON.stringify(value) ?? "missing";
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
