/** One line of a benchmark's result. `ratio` is ours over the peer, and `goal` is its bound. */
export interface Row {
  readonly name: string;
  readonly ours: number;
  readonly peer: number;
  readonly ratio: number;
  readonly goal: number;
  /** The first goal of a row whose goal was restated. It stays in the results. */
  readonly firstGoal?: number;
  readonly met: boolean;
  /** Missing if there was only one measurement. */
  readonly spread?: Spread;
}

/** The lowest and the highest ratio of the rounds. */
export interface Spread {
  readonly from: number;
  readonly to: number;
  readonly rounds: number;
}

/** One measurement, or one for each round. */
export type Figures = number | readonly number[];

export interface BenchOptions {
  readonly isQuick: boolean;
  /** Prints progress for people. Programs read only the last line of the output. */
  readonly report: (line: string) => void;
  /** Saves a picture next to the results, if the run writes a page. */
  readonly show: (name: string, svg: string) => void;
}

export type Bench = (options: BenchOptions) => Promise<readonly Row[]>;

/** A row whose ratio should be the goal or more. */
export function atLeast(name: string, ours: Figures, peer: Figures, goal: number): Row {
  return rowOf(name, ours, peer, { goal, isMet: (ratio) => ratio >= goal });
}

/** A row whose ratio should be the goal or less. */
export function atMost(name: string, ours: Figures, peer: Figures, goal: number): Row {
  return rowOf(name, ours, peer, { goal, isMet: (ratio) => ratio <= goal });
}

/** A row whose ratio should stay under the goal. */
export function below(name: string, ours: Figures, peer: Figures, goal: number): Row {
  return rowOf(name, ours, peer, { goal, isMet: (ratio) => ratio < goal });
}

interface Judged {
  readonly goal: number;
  readonly isMet: (ratio: number) => boolean;
}

/** The ratio of the medians: one bad round does not change it. */
function rowOf(name: string, ours: Figures, peer: Figures, { goal, isMet }: Judged): Row {
  const middle = (figures: Figures): number => (typeof figures === "number" ? figures : median(figures));
  const ratio = middle(ours) / middle(peer);
  const spread = typeof ours === "number" || typeof peer === "number" ? {} : { spread: spreadOf(ours, peer) };
  return { name, ours: middle(ours), peer: middle(peer), ratio, goal, met: isMet(ratio), ...spread };
}

/** Rounds are compared in pairs: each of ours with the peer's next to it in time. */
export function spreadOf(ours: readonly number[], peer: readonly number[]): Spread {
  const ratios = ours.map((value, round) => value / (peer[round] ?? NaN));
  return { from: Math.min(...ratios), to: Math.max(...ratios), rounds: ratios.length };
}

/** For a column of a table. Empty if there was only one measurement. */
export function spreadText({ spread: over }: Row): string {
  return over === undefined ? "" : `${format(over.from, 2)}–${format(over.to, 2)} in ${over.rounds}`;
}

/** The rows of a benchmark with peers, for people. */
export function rowTable(rows: readonly Row[], digits: number): string {
  const lines = rows.map((row) => [
    row.name,
    format(row.ours, digits),
    format(row.peer, digits),
    row.ratio.toFixed(2),
    spreadText(row),
    `${row.goal} ${row.met ? "met" : "missed"}`,
  ]);
  return table(["what", "ours", "peer", "ratio", "rounds", "goal"], lines);
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? NaN)) / 2;
}

/** The minimum and the maximum, rounded. */
export function spread(numbers: readonly number[], digits = 0): string {
  return `${format(Math.min(...numbers), digits)}–${format(Math.max(...numbers), digits)}`;
}

export function format(number: number, digits = 0): string {
  return number.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Columns for people: the first is aligned left, the others right. */
export function table(header: readonly string[], lines: readonly (readonly string[])[]): string {
  const all = [header, ...lines];
  const widths = header.map((_, column) => Math.max(...all.map((line) => (line[column] ?? "").length)));
  const pad = (text: string, column: number): string => {
    const width = widths[column] ?? 0;
    return column === 0 ? text.padEnd(width) : text.padStart(width);
  };
  return all.map((line) => `  ${line.map(pad).join("  ")}`).join("\n");
}
