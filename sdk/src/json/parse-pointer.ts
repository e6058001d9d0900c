/** The unescaped segments of a JSON Pointer (RFC 6901), or undefined if the text is not a pointer. */
export function parsePointer(pointer: string): readonly string[] | undefined {
  if (pointer === "") return [];
  if (!pointer.startsWith("/") || /~(?![01])/u.test(pointer)) return undefined;
  const segments = pointer.slice(1).split("/");
  return pointer.includes("~") ? segments.map(unescapeSegment) : segments;
}

function unescapeSegment(segment: string): string {
  // The order matters: "~01" is the name "~1", not "/".
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}
