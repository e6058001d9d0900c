/** version, trace id, parent id, flags; a later version may have more behind it, which is left away. */
const traceParent = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/u;

/**
 * A W3C `traceparent` as it is kept, or undefined if it is none: what is not well formed is ignored, as the standard
 * asks, because a caller's broken tracing must not break its calls.
 */
export function traceContext(sent: unknown): string | undefined {
  if (typeof sent !== "string" || sent.length > 512) return undefined;
  const parts = traceParent.exec(sent.trim());
  if (parts === null) return undefined;
  const [, version = "", trace = "", parent = "", flags = "", more] = parts;
  if (version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (/^0+$/u.test(trace) || /^0+$/u.test(parent)) return undefined;
  return `00-${trace}-${parent}-${flags}`;
}

/** The id that all parts of one trace share. */
export function traceIdOf(trace: string): string {
  return trace.slice(3, 35);
}
