/** The entry point of the command `holdfast`: runs the command line and sets the exit code. */
import { exitCodes } from "./exit-codes.ts";
import { paintFor } from "./terminal/paint.ts";
import { runCommandLine } from "./run-command-line.ts";
import { terminalWidth } from "./terminal/terminal-width.ts";

// A reader such as `head` may close the pipe early. That ends the command, and is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(exitCodes.done);
  throw error;
});

process.exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  folder: process.cwd(),
  print: (line) => void process.stdout.write(`${line}\n`),
  output: process.stdout,
  warn: (line) => void process.stderr.write(`${line}\n`),
  width: terminalWidth(process.stderr),
  paint: paintFor(process.env, process.stdout.isTTY),
  readInput: async () => (await import("node:stream/consumers")).text(process.stdin),
  draw: process.stderr.isTTY ? (line) => void process.stderr.write(`\r\u001b[2K${line}`) : undefined,
});
