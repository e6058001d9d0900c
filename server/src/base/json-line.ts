/**
 * A value as JSON on one line, for whoever reads lines. JSON text has no line feed, but it may hold characters that some
 * readers take for the end of a line, Node's own among them; they are escaped, which any JSON parser undoes.
 */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(lineEnds, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const lineEnds = /[\u0085\u2028\u2029]/g;
