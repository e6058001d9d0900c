/** Maximum lines on each side that are compared exactly. Longer changes are shown as one block. */
const linesMax = 1_000;
/** Lines of context around a change. */
const contextLines = 3;

type Change = readonly [sign: " " | "-" | "+", line: string];

/** The changes between two lists of lines, by their longest common subsequence. */
function changesBetween(before: readonly string[], after: readonly string[]): readonly Change[] {
  if (before.length > linesMax || after.length > linesMax)
    return [...before.map((line): Change => ["-", line]), ...after.map((line): Change => ["+", line])];
  const width = after.length + 1;
  const lengths = new Uint16Array((before.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row -= 1)
    for (let column = after.length - 1; column >= 0; column -= 1)
      lengths[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const changes: Change[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    const [old, fresh] = [before[row], after[column]];
    if (old !== undefined && old === fresh) {
      changes.push([" ", old]);
      row += 1;
      column += 1;
    } else if (old !== undefined && (fresh === undefined || at(row + 1, column) >= at(row, column + 1))) {
      changes.push(["-", old]);
      row += 1;
    } else {
      changes.push(["+", fresh ?? ""]);
      column += 1;
    }
  }
  return changes;
}

/** A unified difference without file names. Empty if the texts are equal. */
export function textDifference(before: string, after: string): string {
  const changes = changesBetween(before.trimEnd().split("\n"), after.trimEnd().split("\n"));
  const isNear = changes.map((_, index) =>
    changes.slice(Math.max(0, index - contextLines), index + contextLines + 1).some(([sign]) => sign !== " "),
  );
  const lines: string[] = [];
  let [old, fresh] = [1, 1];
  for (const [index, [sign, line]] of changes.entries()) {
    if (isNear[index] === true) {
      if (isNear[index - 1] !== true) lines.push(`@@ -${old} +${fresh} @@`);
      lines.push(`${sign}${line}`);
    }
    if (sign !== "+") old += 1;
    if (sign !== "-") fresh += 1;
  }
  return lines.join("\n");
}
