/** The command `holdfast`: runs what its words mean, and ends with a number that says how it went. */
import { text } from "node:stream/consumers";
import { exitCodes } from "./exit-codes.ts";
import { paintFor } from "./terminal/paint.ts";
import { runCommandLine } from "./run-command-line.ts";

// Whoever reads may stop reading, like `head`: that is an end, not a fault.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(exitCodes.done);
  throw error;
});

process.exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  folder: process.cwd(),
  print: (line) => void process.stdout.write(`${line}\n`),
  warn: (line) => void process.stderr.write(`${line}\n`),
  width: process.stderr.isTTY ? process.stderr.columns : 120,
  paint: paintFor(process.env, process.stdout.isTTY),
  readInput: () => text(process.stdin),
  ...(process.stderr.isTTY ? { draw: (line: string) => void process.stderr.write(`\r\u001b[2K${line}`) } : {}),
});
