import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Terminal } from "../command.ts";
import { UsageError } from "./usage-error.ts";

/** JSON as a command is given it: as a word, as `@FILE`, or on standard input for `-` and for no word at all. */
export async function readJsonArgument(word: string | undefined, name: string, terminal: Terminal): Promise<unknown> {
  const text = await textOf(word, terminal);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const hint = /^[\w .-]+$/u.test(text) ? `; a text needs its quotes: '"${text}"'` : "";
    throw new UsageError(`${name} is not JSON (${(error as Error).message})${hint}`);
  }
}

async function textOf(word: string | undefined, { folder, readInput }: Terminal): Promise<string> {
  if (word === undefined || word === "-") return readInput();
  if (!word.startsWith("@")) return word;
  const file = resolve(folder, word.slice(1));
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`${file} can't be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
  }
}
