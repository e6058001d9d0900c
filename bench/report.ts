/** One line of a benchmark's result. `ratio` is ours over the peer; a goal is the least that it should be. */
export interface Row {
  readonly name: string;
  readonly ours: number;
  readonly peer: number;
  readonly ratio: number;
  readonly goal: number;
  readonly met: boolean;
}

export interface BenchOptions {
  readonly isQuick: boolean;
  /** Tells people what goes on; programs read the last line of the output only. */
  readonly say: (line: string) => void;
  /** Keeps a picture beside the results, if anybody wants one. */
  readonly show: (name: string, svg: string) => void;
}

export type Bench = (options: BenchOptions) => Promise<readonly Row[]>;

/** A row whose ratio should be the goal or more. */
export function atLeast(name: string, ours: number, peer: number, goal: number): Row {
  const ratio = ours / peer;
  return { name, ours, peer, ratio, goal, met: ratio >= goal };
}

/** A row whose ratio should stay under the goal. */
export function below(name: string, ours: number, peer: number, goal: number): Row {
  const ratio = ours / peer;
  return { name, ours, peer, ratio, goal, met: ratio < goal };
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? NaN)) / 2;
}

/** The least and the most, rounded: how far apart the rounds were. */
export function spread(numbers: readonly number[], digits = 0): string {
  return `${format(Math.min(...numbers), digits)}–${format(Math.max(...numbers), digits)}`;
}

export function format(number: number, digits = 0): string {
  return number.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Columns for people: the first one to the left, the others to the right. */
export function table(header: readonly string[], lines: readonly (readonly string[])[]): string {
  const all = [header, ...lines];
  const widths = header.map((_, column) => Math.max(...all.map((line) => (line[column] ?? "").length)));
  const pad = (text: string, column: number): string => {
    const width = widths[column] ?? 0;
    return column === 0 ? text.padEnd(width) : text.padStart(width);
  };
  return all.map((line) => `  ${line.map(pad).join("  ")}`).join("\n");
}
