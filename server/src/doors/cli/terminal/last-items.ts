/** The last items of an iterable. At most twice the limit is in memory. */
export function lastItems<Item>(items: Iterable<Item>, limit: number): readonly Item[] {
  let kept: Item[] = [];
  for (const item of items) {
    kept.push(item);
    if (kept.length >= 2 * limit) kept = kept.slice(-limit);
  }
  return kept.slice(-limit);
}
