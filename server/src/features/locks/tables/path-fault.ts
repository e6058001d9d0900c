/** Lockable paths. A path has one spelling, so that nothing can be locked twice under two names. */

const lengthMax = 1_024;
const depthMax = 32;
const controlCharacter = /[\u0000-\u001f\u007f]/u;

/** Describes why a text is not a path; undefined if it is one. */
export function pathFault(path: string): string | undefined {
  if (path.length > lengthMax) return `longer than ${String(lengthMax)} characters`;
  if (controlCharacter.test(path)) return "contains a control character";
  let depth = 0;
  for (let start = 0; start <= path.length; depth += 1) {
    const slash = path.indexOf("/", start);
    const end = slash < 0 ? path.length : slash;
    if (end === start) return "has an empty name before, after or between slashes";
    const length = end - start;
    if (path.charCodeAt(start) === dot && (length === 1 || (length === 2 && path.charCodeAt(start + 1) === dot))) {
      return "contains . or .. as a name";
    }
    start = end + 1;
  }
  if (depth > depthMax) return `deeper than ${String(depthMax)} names`;
  // Unicode can spell the same characters in several ways. Only one of them is a path.
  return isAscii(path) || path.normalize("NFC") === path ? undefined : "is not in Unicode form NFC";
}

const dot = 46;

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 127) return false;
  return true;
}

/** The proper ancestors, nearest last: `a/b/c` has `a` and `a/b`. */
export function ancestorsOf(path: string): readonly string[] {
  const ancestors: string[] = [];
  for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", slash + 1)) {
    ancestors.push(path.slice(0, slash));
  }
  return ancestors;
}

/** Names at even places: `project/p1/map/m2` has the shape `project/map`. Undefined if an id is missing. */
export function shapeOf(path: string): string | undefined {
  const segments = path.split("/");
  if (segments.length % 2 === 1) return undefined;
  return segments.filter((_, index) => index % 2 === 0).join("/");
}

/** Compares by UTF-8 bytes, which is by code points. UTF-16 would sort characters beyond 0xffff differently. */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const [unitA, unitB] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (unitA === unitB) continue;
    const isSurrogate = [unitA, unitB].map((unit) => unit >= 0xd800 && unit <= 0xdfff);
    if (isSurrogate[0] !== isSurrogate[1]) return isSurrogate[0] === true ? 1 : -1;
    return unitA - unitB;
  }
  return a.length - b.length;
}
