import { systemClock } from "../../../base/clock.ts";
import { jsonLine } from "../../../base/json-line.ts";
import type { CliCommand, CommandArguments, Terminal } from "../command.ts";
import { dataOption } from "../discovery/data-option.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { withFailureReport } from "../terminal/failure-report.ts";
import { runningServerOf } from "./running-server-of.ts";

/** Maximum time until the server has stopped. */
const stopMs = 30_000;
/** Interval between two checks whether the process is gone. */
const pollMs = 25;

export const downCommand: CliCommand = {
  name: "down",
  positionalsMax: 0,
  summary: "stop the server of a data folder",
  details: [
    "Stops the server that runs on the nearest data folder, and waits until its process is gone. The server answers the",
    "pending calls first. Held locks stay in the journal: their holders keep them if the server starts again in time.",
    "",
    "  holdfast down",
    "  holdfast down --data /var/lib/holdfast",
  ],
  options: { data: dataOption, json: { summary: "print one JSON object" } },
  run: (args, terminal) => withFailureReport(args, terminal, () => stopServer(args, terminal)),
};

async function stopServer(args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  const { folder, pid } = await runningServerOf(args, terminal);
  process.kill(pid, "SIGTERM");
  const hasStopped = await isGone(pid, systemClock.monotonicMs() + stopMs);
  const json = { event: hasStopped ? "stopped" : "stopping", data: folder, pid };
  const text = hasStopped
    ? `stopped the server on ${folder} (process ${pid}).`
    : `process ${pid} on ${folder} got SIGTERM and still runs after ${stopMs / 1_000} s; \`kill -KILL ${pid}\` ends it without loss of acknowledged writes.`;
  terminal.print(args.values["json"] === true ? jsonLine(json) : text);
  return hasStopped ? exitCodes.done : exitCodes.unavailable;
}

async function isGone(pid: number, deadlineMs: number): Promise<boolean> {
  while (isAlive(pid)) {
    if (systemClock.monotonicMs() >= deadlineMs) return false;
    await new Promise<void>((resolve) => void systemClock.after(pollMs, resolve, { keepAlive: true }));
  }
  return true;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
