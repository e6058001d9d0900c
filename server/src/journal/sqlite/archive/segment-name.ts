/**
 * The names of archive files. The `segments` table of a backup or a data folder from elsewhere may hold any text. Its rows
 * therefore name a file only in the one form that Holdfast writes, with the positions of the row. Such a name has no
 * separator, so no reader, copy or removal leaves the folder `archive`.
 */

/** Name of the file being written. A folder has one writer, so one name suffices. A crash leaves the file behind. */
export const unfinishedName = "unfinished.tmp";

interface SegmentName {
  readonly first: number;
  readonly last: number;
  /** The number of erasures that replaced the file. */
  readonly revision: number;
}

export function segmentName(first: number, last: number, revision = 0): string {
  const range = [first, last].map((position) => String(position).padStart(12, "0")).join("-");
  return `${range}${revision === 0 ? "" : `.${revision}`}.ndjson.gz`;
}

/** Parses the name of a segment file. Returns undefined for every other text. */
export function readSegmentName(file: string): SegmentName | undefined {
  const found = /^(\d{12,16})-(\d{12,16})(?:\.(\d{1,15}))?\.ndjson\.gz$/u.exec(file);
  if (found === null) return undefined;
  const [first, last, revision] = [Number(found[1]), Number(found[2]), Number(found[3] ?? 0)];
  // One spelling for each name: `.0` and extra zeros are not written.
  return segmentName(first, last, revision) === file ? { first, last, revision } : undefined;
}
