/** Reads pages until there are enough items, or no more. `more` says that some were left out. */
export async function readPages<Item>(
  limit: number,
  read: (page: {
    readonly after?: string;
    readonly limit: number;
  }) => Promise<{ readonly items: readonly Item[]; readonly next: string | null }>,
): Promise<{ readonly items: readonly Item[]; readonly next: string | null }> {
  const items: Item[] = [];
  let next: string | null = null;
  do {
    const page = await read({
      ...(next === null ? {} : { after: next }),
      limit: Math.min(limit - items.length, pageMax),
    });
    items.push(...page.items);
    ({ next } = page);
  } while (next !== null && items.length < limit);
  return { items, next };
}

/** The most that the contract gives at once. */
const pageMax = 1_000;

export const limitOption = { value: "N", summary: "at most so many; 100 if not given" } as const;
export const limitDefault = 100;

/** What is said below a list that goes on. */
export function moreItemsHint(next: unknown): string {
  return next === null ? "" : "\n(there are more: see --limit)";
}
