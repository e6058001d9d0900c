/** Width of a stream that is not a terminal. */
const streamWidth = 120;

/** Width of a terminal that reports no size, such as one of a recorder or of a serial line. */
const unknownWidth = 80;

/** The columns of a terminal. A terminal of unknown size reports 0, and a line of that width would show nothing. */
export function terminalWidth({ isTTY, columns }: { readonly isTTY?: boolean; readonly columns?: number }): number {
  if (isTTY !== true) return streamWidth;
  return columns === undefined || columns === 0 ? unknownWidth : columns;
}
