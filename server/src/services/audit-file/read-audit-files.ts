import { createReadStream } from "node:fs";
import { parseAuditLine } from "./audit-line.ts";
import type { ParsedAuditLine } from "./audit-line.ts";

/** A line of a file as a reader finds it. */
export interface ReadAuditLine {
  readonly file: string;
  /** The number of the line in its file, from 1. */
  readonly number: number;
  /** Undefined for a damaged line. */
  readonly line: ParsedAuditLine | undefined;
  /** False for bytes after the last line feed: a server writes them at this moment, or a crash left them. */
  readonly isWhole: boolean;
}

/** The files in the order of their first lines. A file without one is last. */
export async function orderAuditFiles(files: readonly string[]): Promise<readonly string[]> {
  const firsts = await Promise.all(files.map(async (file) => ({ file, first: await firstOf(file) })));
  return firsts
    .toSorted(({ first: a }, { first: b }) => {
      if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
      return a.epoch - b.epoch || a.position - b.position;
    })
    .map(({ file }) => file);
}

async function firstOf(file: string): Promise<ParsedAuditLine | undefined> {
  for await (const { line } of readAuditFiles([file])) return line;
  return undefined;
}

/** All lines of the files, in order. */
export async function* readAuditFiles(files: readonly string[]): AsyncGenerator<ReadAuditLine> {
  for (const file of files) {
    let [number, rest] = [0, ""];
    for await (const chunk of createReadStream(file, "utf8") as AsyncIterable<string>) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const text of lines) yield { file, number: ++number, line: parseAuditLine(text), isWhole: true };
    }
    if (rest !== "") yield { file, number: number + 1, line: undefined, isWhole: false };
  }
}
