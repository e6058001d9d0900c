/** Reads pages up to a limit of items. `next` is the cursor of the following page, or null at the end of the list. */
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
    const pageLimit = Math.min(limit - items.length, pageMax);
    const page = await read(next === null ? { limit: pageLimit } : { after: next, limit: pageLimit });
    items.push(...page.items);
    ({ next } = page);
  } while (next !== null && items.length < limit);
  return { items, next };
}

/** Maximum items per page in the contract. */
const pageMax = 1_000;

export const limitOption = { value: "N", summary: "maximum number of items (default: 100)" } as const;
export const limitDefault = 100;

/** The line below a list that is incomplete. */
export function moreItemsHint(next: unknown): string {
  return next === null ? "" : "\n(more items exist; raise --limit)";
}
