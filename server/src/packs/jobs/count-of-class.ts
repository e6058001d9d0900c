/** A count by class. A class may have the name of a member that every object inherits, such as `constructor`. */
export function countOfClass(counts: Readonly<Record<string, number>>, name: string): number | undefined {
  return Object.hasOwn(counts, name) ? counts[name] : undefined;
}
