/**
 * A value as JSON on one line. JSON text contains no line feed, but it may contain other characters that some readers,
 * including Node's readline, treat as the end of a line. They are escaped, and any JSON parser restores them.
 */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    lineEnds,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const lineEnds = /[\u0085\u2028\u2029]/g;
