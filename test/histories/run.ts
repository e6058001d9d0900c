/**
 * Records histories of real clients on real processes under faults, and checks each of them:
 *   npm run histories -- --count 100 --calls 5000 --deployment one      many, with a summary
 *   npm run histories -- --seed 42 --deployment three                   one of them again
 */
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { countTable } from "../prove/counts.ts";
import { checkHistory } from "./check-history.ts";
import type { HistoryFigures } from "./check-history.ts";
import type { Deployment } from "./deployment.ts";
import type { History } from "./history-run.ts";
import { recordHistory } from "./history-run.ts";
import { oneServer } from "./one-server.ts";
import { threeNodes } from "./three-nodes.ts";

const deployments: Readonly<Record<string, () => Promise<Deployment>>> = { one: oneServer, three: threeNodes };

const { values } = parseArgs({
  options: {
    count: { type: "string", default: String(countTable.oneServerHistories.prove) },
    calls: { type: "string", default: String(countTable.historyCalls.prove) },
    clients: { type: "string", default: "16" },
    faults: { type: "string", default: "5" },
    each: { type: "string", default: "5" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    deployment: { type: "string", default: "one" },
  },
});

const start = deployments[values.deployment];
if (start === undefined) throw new Error(`--deployment is one of ${Object.keys(deployments).join(", ")}`);
const from = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.count) : 1;
const totals: Record<string, number> = {};
const injectedTotals: Record<string, number> = {};
const notThere = new Set<string>();
const begun = performance.now();

for (let seed = from; seed < from + count; seed += Number(values.each)) await runSome(seed, start);
summarise();

/** A few histories, one after the other, on the same servers. */
async function runSome(first: number, startDeployment: () => Promise<Deployment>): Promise<void> {
  const deployment = await startDeployment();
  try {
    const last = Math.min(first + Number(values.each), from + count);
    for (let seed = first; seed < last; seed += 1) await runOne(seed, deployment);
  } finally {
    await deployment.close();
  }
}

async function runOne(seed: number, deployment: Deployment): Promise<void> {
  const plan = { seed, calls: Number(values.calls), clients: Number(values.clients), faults: Number(values.faults) };
  let history: History | undefined;
  try {
    history = await recordHistory(deployment, plan);
    add(totals, { ...checkHistory(history) });
    add(injectedTotals, Object.fromEntries(history.injected));
    for (const fault of deployment.unsupported) notThere.add(fault);
    const seconds = Math.round((performance.now() - begun) / 1_000);
    console.log(`${seed - from + 1} of ${count} histories, seed ${seed}: ${history.calls.length} calls, ${seconds} s`);
  } catch (error) {
    const file = join(tmpdir(), `holdfast-history-${values.deployment}-${seed}.json`);
    await writeFile(file, JSON.stringify({ plan, calls: history?.calls, journal: history?.journal }));
    console.error(`BROKEN seed ${seed}: ${String(error)}\n${deployment.log()}\nThe history is in ${file}. Again with:`);
    console.error(`  npm run histories -- --deployment ${values.deployment} --seed ${seed} --calls ${plan.calls}`);
    process.exitCode = 1;
  }
}

function add(sums: Record<string, number>, figures: Readonly<Record<string, number>>): void {
  for (const [name, figure] of Object.entries(figures)) {
    sums[name] =
      name === ("atOnce" satisfies keyof HistoryFigures)
        ? Math.max(sums[name] ?? 0, figure)
        : (sums[name] ?? 0) + figure;
  }
}

function summarise(): void {
  for (const [name, sum] of [...Object.entries(totals), ...Object.entries(injectedTotals)]) {
    console.log(`${sum.toLocaleString("en").padStart(12)}  ${name}`);
  }
  for (const fault of notThere) console.log(`not tried here: ${fault}`);
}
