/** Version, trace id, parent id, flags. A later version may have more parts, which are ignored. */
const traceParent = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/u;

/**
 * A valid W3C `traceparent`, or undefined. The standard asks to ignore a malformed one, so that broken tracing does not
 * break calls.
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

/** The id that all spans of a trace share. */
export function traceIdOf(trace: string): string {
  return trace.slice(3, 35);
}
