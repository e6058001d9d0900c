/** Which parts of `npm run prove` passed at which commit, for `--resume`. A run on a changed tree is not recorded. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { execChildSync } from "../scenario/spawn-child.ts";

const root = join(import.meta.dirname, "..", "..");
const file = join(root, ".tmp", "prove.json");

interface StoredRecord {
  readonly commit: string;
  /** Wall seconds of each part that passed. */
  readonly passed: Readonly<Record<string, number>>;
}

/** The commit that is checked out; undefined if the tree has changes. */
export function cleanCommit(): string | undefined {
  const git = (...words: readonly string[]): string =>
    execChildSync("git", words, { cwd: root, encoding: "utf8" }).trim();
  return git("status", "--porcelain") === "" ? git("rev-parse", "HEAD") : undefined;
}

function readRecord(): StoredRecord | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as StoredRecord;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

export function passedAt(commit: string): ReadonlyMap<string, number> {
  const record = readRecord();
  return new Map(record?.commit === commit ? Object.entries(record.passed) : []);
}

export function recordPassed(commit: string, part: string, seconds: number): void {
  const passed = Object.fromEntries([...passedAt(commit), [part, seconds]]);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ commit, passed } satisfies StoredRecord));
}
