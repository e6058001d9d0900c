/**
 * The time until a command has ended, over the start of Node alone. Rounds alternate between the checkout and the built
 * packages in a node_modules folder, as an installation has them.
 */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "../server/src/assembly/serve.ts";
import { atMost, type Bench, type Row } from "./report.ts";

const root = join(import.meta.dirname, "..");

/** Maximum time of a command over that of `node -e 0`. */
const goal = 4;

export const cli: Bench = async ({ isQuick, report }) => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-cli-"));
  const data = join(folder, ".holdfast");
  const server = await serve({ data, host: "127.0.0.1", port: 0, report: () => undefined });
  const env = { PATH: process.env["PATH"], HOME: folder, HOLDFAST_URL: server.url };
  try {
    const rows: Row[] = [];
    const commands = { checkout: join(root, "server", "bin", "holdfast.js"), installed: install(folder) };
    for (const [from, command] of Object.entries(commands))
      for (const name of ["--version", "locks"])
        rows.push(await startRow(`${name}, ${from},`, [command, name], { folder, env, rounds: isQuick ? 5 : 25 }));
    for (const { name, ours, peer } of rows) report(`${name}: ${ours.toFixed(0)} ms, Node ${peer.toFixed(0)} ms`);
    return rows;
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

/** The packages as they are published, with the dependencies of the checkout. Returns the path of the command. */
function install(folder: string): string {
  mkdirSync(join(root, ".tmp"), { recursive: true });
  const built = mkdtempSync(join(root, ".tmp", "bench-cli-"));
  const modules = join(folder, "node_modules");
  try {
    const { status } = spawnSync(process.execPath, [join(root, "tools", "build.ts"), built], { stdio: "ignore" });
    if (status !== 0) throw new Error("the packages were not built; run node tools/build.ts to see the reason");
    mkdirSync(join(modules, "@holdfast"), { recursive: true });
    cpSync(join(built, "server"), join(modules, "holdfast"), { recursive: true });
    cpSync(join(built, "sdk"), join(modules, "@holdfast", "sdk"), { recursive: true });
  } finally {
    rmSync(built, { recursive: true, force: true });
  }
  const own = ["holdfast", "@holdfast", ".bin", ".package-lock.json"];
  for (const name of readdirSync(join(root, "node_modules")).filter((entry) => !own.includes(entry)))
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  return join(modules, "holdfast", "bin", "holdfast.js");
}

interface CommandRun {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly rounds: number;
}

async function startRow(name: string, args: readonly string[], run: CommandRun): Promise<Row> {
  const [ours, peer]: [number[], number[]] = [[], []];
  // The first round fills the cache of compiled code, as the first command of a user does.
  for (let round = 0; round <= run.rounds; round += 1) {
    const [node, holdfast] = [await timeOf(["-e", "0"], run), await timeOf(args, run)];
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
