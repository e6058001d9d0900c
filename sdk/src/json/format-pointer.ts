/** A JSON Pointer (RFC 6901) from its unescaped segments. Without segments it is "", the whole value. */
export function formatPointer(segments: readonly string[]): string {
  let pointer = "";
  for (const segment of segments) pointer += "/" + escapeSegment(segment);
  return pointer;
}

export function escapeSegment(segment: string): string {
  if (segment.includes("~")) segment = segment.replaceAll("~", "~0");
  return segment.includes("/") ? segment.replaceAll("/", "~1") : segment;
}
