/** Whether two JSON Pointers name the same value, or one names a part of the other. */
export function pointersOverlap(left: string, right: string): boolean {
  if (left.length > right.length) return pointersOverlap(right, left);
  // "/a" contains "/a/b" but not "/ab", and "" contains everything. Each pointer has one spelling, so text compares
  // like segments.
  return right.startsWith(left) && (right.length === left.length || right.charAt(left.length) === "/");
}
