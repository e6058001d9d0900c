/** The known name that somebody probably meant, if one is close: at most every third letter may be wrong. */
export function closestName(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    const isClose = distance <= Math.max(1, Math.floor(Math.max(name.length, candidate.length) / 3));
    if (isClose && (best === undefined || distance < best.distance)) best = { name: candidate, distance };
  }
  return best?.name;
}

function editDistance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = at(above, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1);
      line.push(Math.min(replaced, at(above, column) + 1, at(line, column - 1) + 1));
    }
    above = line;
  }
  return at(above, to.length);
}

function at(line: readonly number[], column: number): number {
  return line[column] ?? Infinity;
}
