/**
 * Intents over the socket, every write durable: status updates, locks, corrections, deadlocks, runs, bytes, the audit
 * file. Postgres with row locks runs in turn with Holdfast.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "holdfast";
import type { Client } from "holdfast";
import { startOwnPostgres } from "../test/scenario/private-postgres.ts";
import { startChild } from "./processes/child-server.ts";
import { decisionRows } from "./intent-decisions.ts";
import { PostgresIntents } from "./peers/postgres-intents.ts";
import { RawInserts, writtenAfter } from "./peers/raw-inserts.ts";
import { atLeast, atMost, below, type Bench, median, type Row, rowTable } from "./report.ts";

/** Each intent goes through all of them, so every update changes something. */
const statuses = ["normalized", "processed", "corrected", "completed"] as const;
const intentCount = 1_000;
const batchSize = 100;

export const intents: Bench = async (options) => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  const rounds = options.isQuick ? 3 : 7;
  await using opened = new AsyncDisposableStack();
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  const postgres = await startOwnPostgres({ isDurable: true });
  opened.defer(() => postgres.stop());
  const rowLocks = await PostgresIntents.connect(postgres.url);
  opened.defer(() => rowLocks.close());
  const { client } = await connectChild(opened, [join(folder, "plain")]);
  const audited = await connectChild(opened, [join(folder, "audited"), "audit"]);
  const parties = { client, audited, rowLocks, folder };
  const rows: Row[] = [...(await updateRows(parties, rounds)), ...(await auditRows(parties, rounds))];
  rows.push(await lockRow(client, rounds));
  options.report("status updates and locks are measured");
  rows.push(...(await correctionRows(parties, rounds)), await deadlockRow(client, rounds));
  options.report("corrections and deadlocks are measured");
  rows.push(await runRow(parties, rounds), ...(await byteRows(parties)), ...decisionRows(options));
  options.report(rowTable(rows, 2));
  return rows;
};

interface Parties {
  readonly client: Client;
  /** The same, with an audit file. */
  readonly audited: ChildClient;
  readonly rowLocks: PostgresIntents;
  readonly folder: string;
}

/** A client of a server in its own process. */
interface ChildClient {
  readonly client: Client;
  readonly url: string;
}

async function connectChild(opened: AsyncDisposableStack, args: readonly string[]): Promise<ChildClient> {
  const server = await startChild("doors-server.ts", args);
  opened.defer(() => server.close());
  const client = await connect(server.url);
  opened.defer(() => client.close());
  return { client, url: server.url };
}

/** Runs the work for all ids, a batch at a time. */
async function inBatches(ids: readonly string[], work: (id: string) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < ids.length; from += batchSize)
    await Promise.all(ids.slice(from, from + batchSize).map(work));
}

const idsOf = (name: string): readonly string[] =>
  Array.from({ length: intentCount }, (_, index) => `${name}-${index}`);

async function perSecond(work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return ((statuses.length * intentCount) / (performance.now() - startMs)) * 1_000;
}

async function statusUpdates(client: Client, name: string): Promise<number> {
  const ids = idsOf(name);
  await inBatches(ids, (id) => client.intents.create({ id, payload: { chairs: 2 } }));
  return perSecond(async () => {
    for (const to of statuses) await inBatches(ids, (id) => client.intents.transition(id, to));
  });
}

async function plainPatches(client: Client, name: string): Promise<number> {
  const ids = idsOf(name);
  const value = { status: "received", payload: { chairs: 2 }, technical_actor: "bench", correction_count: 0, runs: {} };
  await inBatches(ids, (id) => client.entities.create("plain", id, value));
  return perSecond(async () => {
    for (const status of statuses)
      await inBatches(ids, (id) => client.entities.patch("plain", id, { merge: { status } }));
  });
}

async function rowLockUpdates(rowLocks: PostgresIntents, name: string): Promise<number> {
  const ids = idsOf(name);
  await rowLocks.create(ids);
  return perSecond(async () => {
    for (const status of statuses) await rowLocks.moveAll(ids, status);
  });
}

/** Seconds until the audit file has no lag. */
async function catchUpSeconds({ url }: ChildClient): Promise<number> {
  const startMs = performance.now();
  for (;;) {
    const health = (await (await fetch(`${url}/health`)).json()) as {
      readonly services: Readonly<Record<string, { readonly details: { readonly lag: number } }>>;
    };
    if (health.services["audit-file"]?.details.lag === 0) return (performance.now() - startMs) / 1_000;
  }
}

async function updateRows({ client, rowLocks }: Parties, rounds: number): Promise<readonly Row[]> {
  const [ours, plain, peer]: number[][] = [[], [], []];
  for (let round = -1; round < rounds; round += 1) {
    const name = `r${round}`;
    const figures = [
      await statusUpdates(client, name),
      await plainPatches(client, name),
      await rowLockUpdates(rowLocks, name),
    ];
    // The first round warms up.
    if (round >= 0) for (const [index, list] of [ours, plain, peer].entries()) list?.push(figures[index]!);
  }
  return [
    atLeast("status updates/s over 1,000 intents in batches of 100, over 2,000 [B7]", ours!, each(rounds, 2_000), 1),
    atLeast("the same over plain patches of equal values", ours!, plain!, 0.6),
    atLeast("the same over SELECT … FOR UPDATE NOWAIT on Postgres, 32 connections", ours!, peer!, 2),
  ];
}

const each = (count: number, bound: number): readonly number[] => Array.from({ length: count }, () => bound);

/** The two servers alternate in starting a round. They differ less than two rounds of one server do. */
async function auditRows({ client, audited }: Parties, rounds: number): Promise<readonly Row[]> {
  const [without, withFile, catchUps]: [number[], number[], number[]] = [[], [], []];
  const measureWithout = async (name: string): Promise<void> => void without.push(await statusUpdates(client, name));
  const measureWith = async (name: string): Promise<void> => {
    withFile.push(await statusUpdates(audited.client, name));
    catchUps.push(await catchUpSeconds(audited));
  };
  for (let round = 0; round < 5 * rounds; round += 1) {
    const turns = round % 2 === 0 ? [measureWithout, measureWith] : [measureWith, measureWithout];
    for (const measure of turns) await measure(`a${round}`);
  }
  return [
    atLeast("status updates/s with the audit file over without", withFile, without, 0.9),
    below("seconds until the audit file has no lag after the load, over 1", catchUps, each(catchUps.length, 1), 1),
  ];
}

function p95(ms: readonly number[]): number {
  return ms.toSorted((a, b) => a - b)[Math.floor(ms.length * 0.95)] ?? Number.NaN;
}

async function lockRow(client: Client, rounds: number): Promise<Row> {
  const figures: number[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const ms: number[] = [];
    for (let index = 0; index < 100; index += 1) {
      const startMs = performance.now();
      const ownerId = `owner-${index}`;
      const held = await client.operations.acquireLock({ paths: [`intent/l${index}`], ttlMs: 60_000, ownerId });
      if (held.granted) await client.locks.release({ fence: held.fence }, { ownerId });
      ms.push(performance.now() - startMs);
    }
    if (round >= 0) figures.push(p95(ms));
  }
  return below("p95 of acquire and release of the locks of 100 intents, ms over 5 [B7]", figures, 5, 1);
}

async function correctionRows({ client, rowLocks }: Parties, rounds: number): Promise<readonly Row[]> {
  const [ours, peer]: [number[], number[]] = [[], []];
  for (let round = -1; round < rounds; round += 1) {
    const id = `c${round}`;
    await client.intents.create({ id, payload: { chairs: 2 } });
    await rowLocks.create([id]);
    const startMs = performance.now();
    const ms = await Promise.all(
      Array.from({ length: 50 }, async (_, number) => {
        const diff = { [`field${number}`]: number };
        await client.intents.reevaluate(id, { diff, source: "bench", reason: "a new field" });
        return performance.now() - startMs;
      }),
    );
    const peerMs = await rowLocks.correct(id, 50);
    if (round < 0) continue;
    ours.push(p95(ms));
    peer.push(p95(peerMs));
  }
  return [
    below("p95 of 50 re-evaluations of one intent at once, ms over 200 [B7]", ours, 200, 1),
    atMost("the same over UPDATE … WHERE version loops on Postgres", ours, peer, 0.25),
  ];
}

/** Two agents lock two intents in opposite orders. The time runs from the second lock of the first to the end of both. */
async function deadlockRow(client: Client, rounds: number): Promise<Row> {
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const [ann, bob] = [client.agent({ name: "ann" }), client.agent({ name: "bob" })];
    const both = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const work = (agent: Client, paths: readonly string[], mine: number): Promise<void> =>
      agent.retryOnDeadlock(async ({ acquire }) => {
        const first = await acquire(paths[0]!);
        both[mine]?.resolve(undefined);
        await both[1 - mine]?.promise;
        const second = await acquire(paths[1]!);
        await second.release();
        await first.release();
      });
    const paths = [`intent/d${round}`, `intent/e${round}`];
    await Promise.all([ann.acquire(`warm/${round}`), bob.acquire(`warm2/${round}`)]);
    const startMs = performance.now();
    await Promise.all([work(ann, paths, 0), work(bob, paths.toReversed(), 1)]);
    seconds.push((performance.now() - startMs) / 1_000);
    await Promise.all([ann.close(), bob.close()]);
  }
  const mean = seconds.reduce((sum, each) => sum + each, 0) / seconds.length;
  return below("mean seconds from a deadlock to both done, over 1 [B6]", mean, 1, 1);
}

/** Acquire, run, four steps and release are seven entries, one after the other. */
async function runRow({ client, folder }: Parties, rounds: number): Promise<Row> {
  const raw = new RawInserts(join(folder, "raw"));
  const pipeline = await client.intents.bridges(
    ["a", "b", "c", "d"].map((name) => ({ name, execute: () => undefined })),
    { name: "empty" },
  );
  const [ours, peer]: [number[], number[]] = [[], []];
  for (let round = -1; round < rounds; round += 1) {
    const ms: number[] = [];
    const rawMs: number[] = [];
    for (let index = 0; index < 20; index += 1) {
      const id = `run${round}-${index}`;
      await client.intents.create({ id, payload: {} });
      const startMs = performance.now();
      await pipeline.execute(id);
      ms.push(performance.now() - startMs);
      rawMs.push(
        raw.run(
          Array.from({ length: 7 }, () => "x".repeat(700)),
          1,
        ),
      );
    }
    if (round < 0) continue;
    ours.push(median(ms));
    peer.push(median(rawMs));
  }
  raw.close();
  return atMost("a run of four empty bridges over seven bare durable commits, ms", ours, peer, 4);
}

/** Bytes of the entries of one update, one step and one correction. */
async function byteRows({ client, folder }: Parties): Promise<readonly Row[]> {
  const data = join(folder, "plain");
  const bytesOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = Number((await client.cursor()).split(".")[1]);
    await work();
    return Math.max(...writtenAfter(data, before).entries.map((entry) => Buffer.byteLength(entry)));
  };
  await client.intents.create({ id: "bytes", payload: { chairs: 2 } });
  const update = await bytesOf(() => client.intents.transition("bytes", "processed"));
  const diff = { text: "x".repeat(200) };
  const correction = await bytesOf(() =>
    client.intents.reevaluate("bytes", { diff, source: "bench", reason: "a text" }),
  );
  const bridges = [
    { name: "a", execute: () => undefined },
    { name: "b", execute: () => undefined },
  ];
  const pipeline = await client.intents.bridges(bridges, { name: "bytes" });
  const step = await bytesOf(() => pipeline.execute("bytes"));
  return [
    atMost("journal bytes of a status update, over 900", update, 900, 1),
    atMost("journal bytes of the largest entry of a run of two steps, over 1,500", step, 1_500, 1),
    atMost(
      "journal bytes of a re-evaluation, over 1,100 and twice the difference",
      correction,
      1_100 + 2 * JSON.stringify(diff).length,
      1,
    ),
  ];
}
