/**
 * Folders and files that do not hold these checks yet. Remove an entry when `node test/tidy/report.ts PREFIX` finds nothing.
 * An entry that ends with a slash covers all files below it.
 */
import type { CheckName } from "./checks.ts";

const pending: Readonly<Record<string, readonly CheckName[]>> = {};

const covers = (entry: string, path: string): boolean =>
  entry.endsWith("/") ? path.startsWith(entry) : path === entry;

/** True if the file need not pass the check yet. */
export const isUnclean = (path: string, check: CheckName): boolean =>
  Object.entries(pending).some(([entry, names]) => names.includes(check) && covers(entry, path));

/** Each entry with each of its checks. */
export const uncleanEntries = Object.entries(pending).flatMap(([entry, names]) =>
  names.map((check) => ({ entry, check, covers: (path: string): boolean => covers(entry, path) })),
);
