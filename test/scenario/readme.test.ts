import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { holdfast, run } from "./holdfast-command.ts";
import type { Program } from "./program.ts";
import { inEmptyFolder } from "./program.ts";

interface Step {
  readonly terminal: string;
  readonly words: readonly string[];
  readonly output: readonly string[];
}

/** The session in the README: `1$ command` and what the terminal shows, until an empty line. */
async function session(): Promise<readonly Step[]> {
  const text = await readFile(join(import.meta.dirname, "..", "..", "README.md"), "utf8");
  const block = /```text\n(?<session>1\$ [^]*?)```/u.exec(text)?.groups?.["session"] ?? "";
  return block.split("\n\n").map((part) => {
    const [command = "", ...output] = part.trim().split("\n");
    const { terminal = "", line = "" } = /^(?<terminal>[0-9])\$ (?<line>.*)$/u.exec(command)?.groups ?? {};
    const words = [...line.matchAll(/"(?<quoted>[^"]*)"|(?<bare>\S+)/gu)].map(
      ({ groups }) => groups?.["quoted"] ?? groups?.["bare"] ?? "",
    );
    return { terminal, words: words[0] === "npx" ? words.slice(2) : words, output };
  });
}

/** What differs from one run to the next: names, ids, numbers, and the width of columns. */
function pattern(line: string): RegExp {
  const escaped = line.replaceAll(/[.*+?^${}()|[\]\\]/gu, "\\$&");
  const time = "(?:now|under 1 s|in [0-9]+ s|[0-9]+ s ago|[0-9]+ s)";
  const loose = escaped
    .replaceAll("ann@laptop", "\\S+")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/gu, "[0-9a-f-]{36}")
    .replaceAll(/fence 1\\\.[0-9]+/gu, "fence 1\\.[0-9.]+")
    .replaceAll(/\b(?:in [0-9]+ s|[0-9]+ s ago|[0-9]+ s|now)\b/gu, time)
    .replaceAll(/ {2,}/gu, " +");
  return new RegExp(`^${loose}$`, "u");
}

test(
  "the session in the README happens as it is written: the second terminal waits, the first dies, the second is told [X5]",
  inEmptyFolder(async (folder) => {
    const server = holdfast(folder, "up");
    await server.line(/Ctrl\+C/u);
    const terminals = new Map<string, Program>();
    const steps = await session();
    assert.ok(steps.length >= 5, "the README has a session");
    for (const { terminal, words, output } of steps) {
      if (words[0] === "kill") terminals.get("1")?.signal("SIGKILL");
      else if (words[0] === "locks") {
        const { lines } = await run(folder, words);
        for (const [index, line] of output.entries()) assert.match(lines[index] ?? "", pattern(line));
      } else {
        const program = terminals.get(terminal) ?? holdfast(folder, words);
        terminals.set(terminal, program);
        for (const line of output)
          await (line.startsWith("holdfast: ") ? program.errorLine(pattern(line)) : program.line(pattern(line)));
      }
    }
    assert.equal((await terminals.get("2")?.ended)?.code, 0);
    server.signal("SIGTERM");
    assert.equal((await server.ended).code, 0);
  }),
);
