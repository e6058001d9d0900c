/** The last few of many, without keeping the others. */
export function lastItems<Item>(items: Iterable<Item>, limit: number): readonly Item[] {
  let kept: Item[] = [];
  for (const item of items) {
    kept.push(item);
    if (kept.length >= 2 * limit) kept = kept.slice(-limit);
  }
  return kept.slice(-limit);
}
