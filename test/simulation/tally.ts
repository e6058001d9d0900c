/** How often an event happened, and in how many seeds. An event that is frequent in a single seed is still rare. */
export interface Tally {
  readonly times: number;
  readonly seeds: number;
}

export type Tallies = Map<string, Tally>;

/** Adds the counts of one seed. */
export function addSeed(tallies: Tallies, counts: ReadonlyMap<string, number>): void {
  for (const [name, times] of counts) add(tallies, name, { times, seeds: 1 });
}

export function addTallies(tallies: Tallies, others: ReadonlyMap<string, Tally>): void {
  for (const [name, tally] of others) add(tallies, name, tally);
}

function add(tallies: Tallies, name: string, { times, seeds }: Tally): void {
  const before = tallies.get(name);
  tallies.set(name, { times: (before?.times ?? 0) + times, seeds: (before?.seeds ?? 0) + seeds });
}
