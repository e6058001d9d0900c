import { batchCharactersMax } from "./batch-line.ts";
import { JournalError } from "./journal.ts";

/**
 * Splits a text at line feeds only. `readline` would also split at characters that a line of JSON may contain. A line has a
 * maximum length, so a file without line feeds cannot fill the memory.
 */
export async function* splitLines(
  chunks: AsyncIterable<string>,
  source: string,
  charactersMax = batchCharactersMax,
): AsyncGenerator<string, void, undefined> {
  let parts: string[] = [];
  let characters = 0;
  let lineNumber = 1;
  function add(part: string): void {
    characters += part.length;
    if (characters > charactersMax) throw tooLong(source, lineNumber, charactersMax);
    parts.push(part);
  }
  for await (const chunk of chunks) {
    const [first = "", ...others] = chunk.split("\n");
    add(first);
    for (const part of others) {
      yield parts.join("");
      parts = [];
      characters = 0;
      lineNumber += 1;
      add(part);
    }
  }
  const rest = parts.join("");
  if (rest !== "") yield rest;
}

function tooLong(source: string, lineNumber: number, charactersMax: number): JournalError {
  const message = `Line ${lineNumber} of ${source} has more than ${charactersMax} characters, so it is not a batch of an exported journal. Export the journal again.`;
  return new JournalError("damaged", message, { certain: true });
}
