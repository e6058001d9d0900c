/**
 * Whether a path is `ancestor` or lies below it, name by name: `repo/xy` is not below `repo/x`. Every path lies below
 * the empty one.
 */
export function isAtOrBelow(path: string, ancestor: string): boolean {
  if (path.length <= ancestor.length) return path === ancestor;
  return ancestor === "" || (path[ancestor.length] === "/" && path.startsWith(ancestor));
}
