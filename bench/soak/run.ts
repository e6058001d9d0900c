/**
 * 200 agents of mixed behaviour on one server for a long time: `npm run soak -- --minutes 30 [--out FOLDER]`. Memory,
 * file descriptors and latency must be flat. The run writes a picture and the figures into the folder.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { connect } from "holdfast";
import type { Client } from "holdfast";
import { systemClock } from "../../server/src/base/clock.ts";
import { seededRandom } from "../../test/scenario/kill-lines.ts";
import { lineChart, stacked } from "../chart.ts";
import { format, table } from "../report.ts";
import { agentCounts, type AgentContext, type Kind, behaviours } from "./agents.ts";
import { latencyOf, type Sample, usageOf } from "./sample.ts";
import { findingsOf } from "./verdict.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    seed: { type: "string", default: "1" },
    out: { type: "string", default: join(import.meta.dirname, "..", "results") },
  },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error(`--minutes must be a number above 0, not ${values.minutes}`);

const folder = mkdtempSync(join(tmpdir(), "holdfast-soak-"));
const command = join(import.meta.dirname, "..", "..", "server", "bin", "holdfast.js");
const args = [command, "up", "--json", "--data", join(folder, "data"), "--port", "0", "--log-level", "error"];
const server = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
try {
  const url = await addressOf();
  const samples = await soak(url, server.pid ?? 0);
  report(samples);
} finally {
  server.kill("SIGTERM");
  if (server.exitCode === null) await once(server, "close");
  rmSync(folder, { recursive: true, force: true });
}

async function addressOf(): Promise<string> {
  for await (const line of createInterface({ input: server.stdout })) {
    if (line.includes('"event":"up"')) return (JSON.parse(line) as { readonly url: string }).url;
  }
  throw new Error("the server did not start");
}

async function soak(url: string, pid: number): Promise<readonly Sample[]> {
  const begin = systemClock.monotonicMs();
  const elapsed = (): number => (systemClock.monotonicMs() - begin) / 60_000;
  let took: number[] = [];
  const failures = new Map<string, number>();
  const failed = (error: unknown): void => {
    const { code = String(error) } = error as { readonly code?: string };
    failures.set(code, (failures.get(code) ?? 0) + 1);
  };
  const programs = await Promise.all(Array.from({ length: 10 }, () => connect(url)));
  const agents = Object.entries(agentCounts).flatMap(([kind, count], group) =>
    Array.from({ length: count }, (_, number) => {
      const chance = seededRandom(Number(values.seed) * 10_000 + group * 1_000 + number);
      const shared = programs[number % programs.length] as Client;
      const context: AgentContext = {
        url,
        shared,
        chance,
        failed,
        took: (ms) => void took.push(ms),
        isOver: () => elapsed() >= minutes,
      };
      return behaviours[kind as Kind](context, `${kind}-${number}`);
    }),
  );
  const samples: Sample[] = [];
  const everyMs = Math.max(1_000, (minutes * 60_000) / 180);
  while (elapsed() < minutes) {
    await new Promise<void>((resolve) => void systemClock.after(everyMs, resolve, { keepAlive: true }));
    const sample = { minute: elapsed(), ...usageOf(pid), ...latencyOf(took) };
    took = [];
    samples.push(sample);
    const { minute, memoryMb, descriptors, calls, p95 } = sample;
    console.log(
      `${format(minute, 1)} of ${minutes} min: ${format(memoryMb)} MB, ${descriptors} descriptors, ` +
        `${calls} calls, p95 ${format(p95, 1)} ms`,
    );
  }
  await Promise.all(agents);
  await Promise.all(programs.map((program) => program.close()));
  for (const [code, count] of failures) console.log(`  ${format(count)} calls failed with ${code}`);
  return samples;
}

function report(samples: readonly Sample[]): void {
  const findings = findingsOf(samples);
  const lines = findings.map(({ what, before, after, isFlat }) => [
    what,
    format(before, 1),
    format(after, 1),
    isFlat ? "flat" : "NOT FLAT",
  ]);
  console.log(table(["", "middle third", "last third", ""], lines));
  mkdirSync(values.out, { recursive: true });
  const chart = (title: string, y: string, of: Readonly<Record<string, (sample: Sample) => number>>): string =>
    lineChart({
      ...{ title, y, x: "minutes" },
      series: Object.entries(of).map(([name, pick]) => ({
        name,
        points: samples.map((sample) => [sample.minute, pick(sample)] as const),
      })),
    });
  const picture = stacked([
    chart("Memory of the server", "MB", { memory: ({ memoryMb }) => memoryMb }),
    chart("File descriptors of the server", "count", { descriptors: ({ descriptors }) => descriptors }),
    chart("Calls that wait for no other agent", "ms", {
      p50: ({ p50 }) => p50,
      p95: ({ p95 }) => p95,
      p99: ({ p99 }) => p99,
    }),
  ]);
  writeFileSync(join(values.out, "soak.svg"), picture);
  writeFileSync(join(values.out, "soak.json"), `${JSON.stringify({ minutes, findings, samples })}\n`);
  console.log(`The picture is in ${join(values.out, "soak.svg")}.`);
  if (findings.some(({ isFlat }) => !isFlat)) process.exitCode = 1;
}
