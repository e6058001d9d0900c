/** The time until a command has ended, over the start of Node alone. Rounds alternate between both. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "../server/src/assembly/serve.ts";
import { atMost, type Bench, type Row } from "./report.ts";

const command = join(import.meta.dirname, "..", "server", "bin", "holdfast.js");

/** Maximum time of a command over that of `node -e 0`. */
const goal = 4;

export const cli: Bench = async ({ isQuick, report }) => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-cli-"));
  const data = join(folder, ".holdfast");
  const server = await serve({ data, host: "127.0.0.1", port: 0, report: () => undefined });
  const env = { PATH: process.env["PATH"], HOME: folder, HOLDFAST_URL: server.url };
  try {
    const rows: Row[] = [];
    for (const name of ["--version", "locks"])
      rows.push(await startRow(name, { folder, env, rounds: isQuick ? 5 : 25 }));
    for (const { name, ours, peer } of rows) report(`${name}: ${ours.toFixed(0)} ms, Node ${peer.toFixed(0)} ms`);
    return rows;
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

interface CommandRun {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly rounds: number;
}

async function startRow(name: string, run: CommandRun): Promise<Row> {
  const [ours, peer]: [number[], number[]] = [[], []];
  // The first round fills the cache of compiled code, as the first command of a user does.
  for (let round = 0; round <= run.rounds; round += 1) {
    const [node, holdfast] = [await timeOf(["-e", "0"], run), await timeOf([command, name], run)];
    if (round > 0) {
      peer.push(node);
      ours.push(holdfast);
    }
  }
  return atMost(`holdfast ${name} over node -e 0, ms`, ours, peer, goal);
}

async function timeOf(args: readonly string[], { folder, env }: CommandRun): Promise<number> {
  const begin = performance.now();
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: "ignore" });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  if (code !== 0) throw new Error(`node ${args.join(" ")} ended with ${String(code)}`);
  return performance.now() - begin;
}
