/** The cost of the doors, with a server in its own process: lock cycles, one contended lock, HTTP, subscribers. */
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "holdfast";
import type { Client } from "holdfast";
import { startChild } from "./processes/child-server.ts";
import type { ChildServer } from "./processes/child-server.ts";
import { connectToy } from "./peers/toy-client.ts";
import { RawInserts } from "./peers/raw-inserts.ts";
import { redlockOn } from "./peers/redlock.ts";
import { startRedis } from "./peers/redis-server.ts";
import { atLeast, atMost, format, median, rowTable, spread, spreadOf } from "./report.ts";
import type { Bench, BenchOptions, Row } from "./report.ts";
import { Subscriber } from "./subscribers.ts";

interface DoorsSetup extends BenchOptions {
  readonly server: ChildServer;
  readonly folder: string;
}

export const doors: Bench = async (options) => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  const server = await startChild("doors-server.ts", [join(folder, "data")]);
  try {
    const setup = { ...options, server, folder };
    // Subscribers run first: they count from the beginning of the journal.
    const rows = [...(await subscribers(setup)), ...(await many(setup)), await alone(setup)];
    rows.push(...(await contended(setup)), await overHttp(setup));
    options.report(rowTable(rows, 2));
    return rows;
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

/**
 * Alternates rounds of Holdfast and of the peer, so that other load on the host affects both. Drops the first round.
 */
async function inTurns(options: BenchOptions, ours: () => Promise<number>, peer: () => Promise<number>) {
  const [mine, theirs]: [number[], number[]] = [[], []];
  for (let round = -1; round < (options.isQuick ? 3 : 5); round += 1) {
    const [ourValue, peerValue] = [await ours(), await peer()];
    if (round < 0) continue;
    mine.push(ourValue);
    theirs.push(peerValue);
  }
  options.report(`  rounds: ours ${spread(mine, 2)}, peer ${spread(theirs, 2)}`);
  return { ours: mine, peer: theirs };
}

const durationOf = ({ isQuick }: BenchOptions): number => (isQuick ? 1_000 : 3_000);

/** Completed calls of `work` per second, by `count` concurrent workers. */
async function ratePerSecond(count: number, durationMs: number, work: (index: number) => Promise<void>) {
  const startMs = performance.now();
  let doneCount = 0;
  const each = async (index: number): Promise<void> => {
    while (performance.now() - startMs < durationMs) {
      await work(index);
      doneCount += 1;
    }
  };
  await Promise.all(Array.from({ length: count }, (_, index) => each(index)));
  return (doneCount / (performance.now() - startMs)) * 1_000;
}

async function cycle(agent: Client, path: string): Promise<void> {
  const held = await agent.operations.acquireLock({ paths: [path].flat(), ttlMs: 60_000 });
  if (held.granted) await agent.locks.release({ fence: held.fence });
}

async function agentsOf(client: Client, count: number): Promise<readonly Client[]> {
  const register = async (): Promise<Client> => client.as(await client.agents.register());
  return Promise.all(Array.from({ length: count }, register));
}

/**
 * 256 agents over one socket, next to Redlock with and without fsync, and to a server that decides nothing. A cycle's
 * processor time is that of the server process, with all its threads.
 */
async function many(setup: DoorsSetup): Promise<readonly Row[]> {
  const [memory, durable] = [await startRedis({ fsync: false }), await startRedis({ fsync: true })];
  const [inMemory, withFsync] = [redlockOn(memory.port), redlockOn(durable.port)];
  const toy = await startChild("../peers/toy-server.ts", [join(setup.folder, "toy")]);
  const toyPeer = await connectToy(toy.url);
  const client = await connect(setup.server.url);
  const agents = await agentsOf(client, 256);
  const durationMs = durationOf(setup);
  const ourCycle = (index: number): Promise<void> => cycle(agents[index] as Client, `bench/${index}`);
  // Without this warm-up the rounds would measure the compilation of the server's hottest paths.
  await ratePerSecond(256, 3 * durationMs, ourCycle);
  const figures = { ours: [], toy: [], memory: [], fsync: [], oursUs: [], toyUs: [] } as Record<string, number[]>;
  const add = (name: string, figure: number): void => void figures[name]?.push(figure);
  for (let round = -1; round < (setup.isQuick ? 3 : 5); round += 1) {
    const ours = await measured(setup.server, () => ratePerSecond(256, durationMs, ourCycle));
    const bare = await measured(toy, () => ratePerSecond(256, durationMs, (index) => toyPeer.cycle(`bench/${index}`)));
    const rates = [inMemory, withFsync].map(
      (redlock) => () => ratePerSecond(256, durationMs, (index) => redlock.cycle(`bench/${index}`)),
    );
    const [memoryRate = NaN, fsyncRate = NaN] = [await rates[0]?.(), await rates[1]?.()];
    if (round < 0) continue;
    add("ours", ours.perSecond);
    add("oursUs", ours.cycleUs);
    add("toy", bare.perSecond);
    add("toyUs", bare.cycleUs);
    add("memory", memoryRate);
    add("fsync", fsyncRate);
  }
  await client.close();
  toyPeer.close();
  await toy.close();
  for (const redlock of [inMemory, withFsync]) redlock.close();
  await memory.close();
  await durable.close();
  const of = (name: string): readonly number[] => figures[name] ?? [];
  const what = "lock cycles/s, 256 agents over the socket";
  return [
    atLeast(`${what}, over Redlock with fsync, the same promise`, of("ours"), of("fsync"), 0.6),
    { ...atLeast(`${what}, over Redlock in memory`, of("ours"), of("memory"), 0.5), firstGoal: 2 },
    atLeast(`${what}, over a server that decides nothing`, of("ours"), of("toy"), 0.4),
    atMost("processor time of the server per lock cycle, µs, over that server's", of("oursUs"), of("toyUs"), 4),
  ];
}

/** A rate, and the processor time that the server spent for each piece of work. */
async function measured(server: ChildServer, rate: () => Promise<number>) {
  const before = await server.load();
  const perSecond = await rate();
  const after = await server.load();
  const count = (perSecond * (after.nowMs - before.nowMs)) / 1_000;
  return { perSecond, cycleUs: ((after.processorMs - before.processorMs) * 1_000) / count };
}

async function alone(setup: DoorsSetup): Promise<Row> {
  const client = await connect(setup.server.url);
  const [agent] = await agentsOf(client, 1);
  const raw = new RawInserts(join(setup.folder, "raw"));
  const text = "x".repeat(600);
  const count = setup.isQuick ? 300 : 1_000;
  const p50 = async (work: () => unknown): Promise<number> => {
    const times: number[] = [];
    for (let index = 0; index < count; index += 1) {
      const startMs = performance.now();
      await work();
      times.push(performance.now() - startMs);
    }
    return median(times);
  };
  const { ours, peer } = await inTurns(
    setup,
    () => p50(() => cycle(agent as Client, "alone")),
    () => p50(() => raw.run([text, text], 1)),
  );
  await client.close();
  raw.close();
  const row = atMost("p50 of a cycle of one agent alone over the socket, over two bare commits, ms", ours, peer, 3);
  return { ...row, firstGoal: 2.5 };
}

/** One lock that 32 agents contend for, each with the handle that a program gets. */
async function contended(setup: DoorsSetup): Promise<readonly Row[]> {
  const redis = await startRedis({ fsync: true });
  const redlock = redlockOn(redis.port);
  const client = await connect(setup.server.url);
  const agents = Array.from({ length: 32 }, (_, index) => client.agent({ name: `agent ${index}` }));
  const durationMs = durationOf(setup);
  const [rounds, peerRounds]: [number[][], number[][]] = [[], []];
  const contend = (all: number[][], acquire: (index: number) => Promise<{ release(): Promise<unknown> }>) => {
    const waits: number[] = [];
    all.push(waits);
    return ratePerSecond(32, durationMs, async (index) => {
      const startMs = performance.now();
      const lock = await acquire(index);
      waits.push(performance.now() - startMs);
      await lock.release();
    });
  };
  const { ours, peer } = await inTurns(
    setup,
    () => contend(rounds, (index) => (agents[index] as Client).acquire("hot", { ttlMs: 60_000 })),
    () => contend(peerRounds, () => redlock.acquire("hot")),
  );
  await client.close();
  redlock.close();
  await redis.close();
  const handOvers = "hand-overs/s of one lock that 32 agents want, over Redlock with fsync, retry 5 ms";
  const p99s = (all: readonly (readonly number[])[]): readonly number[] => all.slice(1).map(p99);
  return [
    { ...atLeast(handOvers, ours, peer, 0.9), firstGoal: 1.5 },
    atMost("p99 of the wait for it over that of Redlock, ms", p99s(rounds), p99s(peerRounds), 0.3),
    longestWait(rounds.slice(1)),
  ];
}

function p99(waits: readonly number[]): number {
  return waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? NaN;
}

/** Reports the longest wait of all rounds, not that of a median round: an agent really waited that long. */
function longestWait(rounds: readonly (readonly number[])[]): Row {
  // The first waits of a round find an empty queue.
  const settled = rounds.map((waits) => waits.slice(waits.length >> 1));
  const all = settled.flat();
  const row = atMost("the longest wait for it over the median wait, ms", Math.max(...all), median(all), 3);
  const longest = settled.map((waits) => Math.max(...waits));
  return { ...row, spread: spreadOf(longest, settled.map(median)) };
}

async function overHttp(setup: DoorsSetup): Promise<Row> {
  const echo = await startChild("../peers/echo-server.ts");
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  let count = 0;
  const post = (url: string): Promise<void> => {
    count += 1;
    const input = { type: "item", id: String(count), value: { title: "a plan", count } };
    const body = JSON.stringify({ operation: "create-entity", input, key: `bench-${count}` });
    return postTo(new URL("/v1/commands", url), agent, body);
  };
  const { ours, peer } = await inTurns(
    setup,
    () => ratePerSecond(64, durationOf(setup), () => post(setup.server.url)),
    () => ratePerSecond(64, durationOf(setup), () => post(echo.url)),
  );
  agent.destroy();
  await echo.close();
  const name = "durable idempotent writes/s over HTTP, over a bare Fastify echo of the same body";
  return { ...atLeast(name, ours, peer, 0.6), firstGoal: 0.4 };
}

function postTo(url: URL, agent: Agent, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`status ${String(response.statusCode)}`));
      response.resume();
      response.on("end", resolve);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** 200 subscribers watch all events while 2,000 events occur per second. */
async function subscribers(setup: DoorsSetup): Promise<readonly Row[]> {
  const client = await connect(setup.server.url);
  const all = await Promise.all(Array.from({ length: 200 }, () => Subscriber.connect(setup.server.url)));
  const seconds = setup.isQuick ? 3 : 10;
  const looks = [await setup.server.load()];
  const startMs = performance.now();
  const writes: Promise<unknown>[] = [];
  for (let count = 0; count < seconds * 2_000; count += 1) {
    if (count > 0 && count % 2_000 === 0) looks.push(await setup.server.load());
    writes.push(client.entities.create("watched", String(count), { count }));
    const aheadMs = count / 2 - (performance.now() - startMs);
    if (aheadMs > 5) await new Promise((resolve) => setTimeout(resolve, aheadMs));
  }
  await Promise.all(writes);
  const tookMs = performance.now() - startMs;
  looks.push(await setup.server.load());
  const last = Number((await client.cursor()).split(".")[1]);
  const deadlineMs = performance.now() + 10_000;
  while (performance.now() < deadlineMs && all.some(({ position }) => position < last)) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const delivered = all.reduce((sum, { position }) => sum + position, 0);
  for (const subscriber of all) subscriber.close();
  await client.close();
  setup.report(`  ${format((seconds * 2_000_000) / tookMs)} events/s to 200 subscribers`);
  return [
    atLeast("200 subscribers, 2,000 events/s: events delivered over events to deliver", delivered, 200 * last, 1),
    loopBusy(looks),
  ];
}

/** The ratio covers the whole time. The rounds are its seconds. */
function loopBusy(looks: readonly { readonly loopMs: number; readonly nowMs: number }[]): Row {
  const steps = (of: "loopMs" | "nowMs"): number[] =>
    looks.slice(1).map((look, index) => look[of] - (looks[index]?.[of] ?? NaN));
  const [busy, passed] = [steps("loopMs"), steps("nowMs")];
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, value) => total + value, 0);
  const row = atMost("200 subscribers, 2,000 events/s: the server's loop busy", sum(busy), sum(passed), 0.4);
  return { ...row, firstGoal: 0.5, spread: spreadOf(busy, passed) };
}
