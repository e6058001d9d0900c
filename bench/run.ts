/**
 * Measures, with a peer in the same run: `npm run bench -- NAME [--quick] [--json]`. What is told are ratios: how fast
 * this computer is today is nobody's promise. With --json the last line is one object {"rows": [...]}.
 */
import { parseArgs } from "node:util";
import { doors } from "./doors.ts";
import { engine } from "./engine.ts";
import { journal } from "./journal.ts";
import { locks } from "./locks.ts";
import { nodes } from "./nodes.ts";
import { planning } from "./planning.ts";
import type { Bench } from "./report.ts";

const benches: Readonly<Record<string, { readonly summary: string; readonly run: Bench }>> = {
  engine: { summary: "commands in process, over raw inserts of the same bytes", run: engine },
  doors: { summary: "locks over the socket beside Redlock, HTTP, subscribers", run: doors },
  locks: { summary: "lock cycles, long lines, large sets, many leases, idle agents", run: locks },
  nodes: { summary: "one, two and three nodes on Postgres, one of them slow, over direct locks", run: nodes },
  planning: { summary: "whether somebody is booked twice, among a hundred thousand assignments", run: planning },
  journal: { summary: "start, fold, verify and save of a journal of a million entries", run: journal },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean", default: false }, json: { type: "boolean", default: false } },
});
const [name = ""] = positionals;
const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;

if (bench === undefined) {
  const list = Object.entries(benches).map(([known, { summary }]) => `  ${known}  ${summary}`);
  console.error([`Which benchmark? npm run bench -- NAME [--quick] [--json], with NAME one of:`, ...list].join("\n"));
  process.exitCode = 2;
} else {
  const rows = await bench.run({ isQuick: values.quick, say: (line) => void process.stderr.write(`${line}\n`) });
  if (values.json) console.log(JSON.stringify({ rows }));
}
