/** One history: clients work on real processes under faults, and record all calls and answers. */
import { defined } from "@holdfast/sdk/base/defined";
import { connect } from "holdfast";
import type { Client, JournalItem } from "holdfast";
import { seededRandom } from "../scenario/kill-lines.ts";
import { historyStart } from "./history-start.ts";
import type { HistoryCall } from "./history-call.ts";
import type { Deployment, DeploymentFault } from "./deployment.ts";
import { GuardedCounter } from "./guarded-counter.ts";
import { RecordedClient } from "./recorded-client.ts";
import { Watcher } from "./watcher.ts";
import { subjectsOf, workThrough } from "./workload.ts";

export interface HistoryPlan {
  readonly seed: number;
  readonly calls: number;
  readonly clients: number;
  /** Maximum number of faults, whose number and kinds depend on the seed; or one fault of each kind. */
  readonly faults: number | "each kind";
}

export interface History {
  readonly subjects: readonly string[];
  readonly calls: readonly HistoryCall[];
  readonly journal: readonly JournalItem[];
  /** How many events each watcher received. They have been compared with the journal. */
  readonly watched: readonly number[];
  readonly counters: ReadonlyMap<string, GuardedCounter>;
  readonly injected: ReadonlyMap<string, number>;
}

export async function recordHistory(deployment: Deployment, plan: HistoryPlan): Promise<History> {
  const clients: Client[] = [];
  const reach = async (wanted: Reach): Promise<Client> => {
    const client = await reachNode(deployment, wanted);
    clients.push(client);
    return client;
  };
  try {
    return await record(deployment, plan, reach);
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}

async function record(
  deployment: Deployment,
  plan: HistoryPlan,
  reach: (wanted: Reach) => Promise<Client>,
): Promise<History> {
  const { operatorToken, faults } = deployment;
  const chance = seededRandom(plan.seed);
  const calls: HistoryCall[] = [];
  const subjects = subjectsOf(plan.seed);
  const counters = new Map(subjects.map((subject) => [subject, new GuardedCounter()]));
  const operator = await reach({ way: "socket", node: 0, reconnectMs: uncertainMaxMs, token: operatorToken });
  for (const subject of subjects) await operator.run("create-entity", entityOf(subject), { key: `create ${subject}` });
  const { cursor, position } = await historyStart(operator);
  const watchers = await Promise.all(
    ways.map(async (way) => new Watcher(way, await reach({ way, node: 0, reconnectMs: uncertainMaxMs }), cursor)),
  );
  const planned = planFaults(faults, chance, plan);
  const pace = new Pace(plan.calls, planned.length);
  const work = Array.from({ length: plan.clients }, async (_, number) => {
    // Every second client uses HTTP, and the nodes get an equal share of both.
    const client = await reach({ way: ways[number % 2] ?? "socket", node: number >> 1, reconnectMs: 1_000 });
    const own = seededRandom(plan.seed * 1_000 + number);
    return workThrough(new RecordedClient(number, client, calls), {
      name: `history ${plan.seed}`,
      chance: own,
      counters,
      next: () => pace.next(),
    });
  });
  // Faults and clients wait for each other, so the failure of one ends all.
  const endAll = (error: unknown): never => {
    pace.end();
    throw error;
  };
  const injecting = injectWhile(planned, chance, pace).catch(endAll);
  const [injected] = await Promise.all([injecting, ...work.map((task) => task.catch(endAll))]);
  const journal = await readJournal(operator, position);
  const watched = await Promise.all(watchers.map((watcher) => watcher.check(journal)));
  return { subjects, calls, journal, watched, counters, injected };
}

const ways = ["socket", "http"] as const;

/** Reconnect time of a connection that must outlive every fault. */
const uncertainMaxMs = 60_000;

interface Reach {
  readonly way: (typeof ways)[number];
  readonly node: number;
  readonly reconnectMs: number;
  readonly token?: string;
}

function reachNode({ urls, token }: Deployment, { way, node, reconnectMs, ...own }: Reach): Promise<Client> {
  const given = own.token ?? token;
  const options = { transport: way, retry: false, reconnectMs, ...defined({ token: given }) } as const;
  return connect(urls[node % urls.length], options);
}

function entityOf(subject: string): Readonly<Record<string, unknown>> {
  const [type, id] = subject.split("/");
  return { type, id, value: { number: 0 } };
}

/** Counts the calls, and spreads the faults evenly over them. */
class Pace {
  readonly #calls: number;
  #faultsLeft: number;
  readonly #faults: number;
  #count = 0;
  #isOver = false;
  #waiting: { readonly at: number; readonly resume: () => void } | undefined;

  constructor(calls: number, faults: number) {
    this.#calls = calls;
    this.#faults = faults;
    this.#faultsLeft = faults;
  }

  /** The number of the next call; undefined once there were enough and the last fault is over. */
  next(): number | undefined {
    if (this.#isOver || (this.#count >= this.#calls && this.#faultsLeft === 0)) return undefined;
    this.#count += 1;
    if (this.#waiting !== undefined && this.#count >= this.#waiting.at) this.#waiting.resume();
    return this.#count;
  }

  /** Waits for the call at which a fault is due. False if the clients have stopped. */
  async until(fault: number): Promise<boolean> {
    const at = Math.floor(((fault + 1) * this.#calls) / (this.#faults + 1));
    if (!this.#isOver && this.#count < at) {
      await new Promise<void>((resume) => {
        this.#waiting = { at, resume };
      });
    }
    return !this.#isOver;
  }

  noteInjected(): void {
    this.#faultsLeft -= 1;
  }

  end(): void {
    this.#isOver = true;
    this.#waiting?.resume();
  }
}

function planFaults(
  faults: readonly DeploymentFault[],
  chance: () => number,
  { faults: wanted }: HistoryPlan,
): readonly DeploymentFault[] {
  const draw = (some: readonly DeploymentFault[]): DeploymentFault => some[Math.floor(chance() * some.length)]!;
  if (wanted !== "each kind") {
    const count = faults.length === 0 ? 0 : Math.floor(chance() * (wanted + 1));
    return Array.from({ length: count }, () => draw(faults));
  }
  const kinds = [...new Set(faults.map(({ name }) => name))].map((name) => ({ name, rank: chance() }));
  return kinds.sort((a, b) => a.rank - b.rank).map(({ name }) => draw(faults.filter((fault) => fault.name === name)));
}

async function injectWhile(
  planned: readonly DeploymentFault[],
  chance: () => number,
  pace: Pace,
): Promise<ReadonlyMap<string, number>> {
  const injected = new Map<string, number>();
  for (const [index, fault] of planned.entries()) {
    if (!(await pace.until(index))) break;
    await fault.inject(chance);
    pace.noteInjected();
    injected.set(fault.name, (injected.get(fault.name) ?? 0) + 1);
  }
  return injected;
}

async function readJournal(client: Client, from: number): Promise<readonly JournalItem[]> {
  const items: JournalItem[] = [];
  for (let after: number | null = from; after !== null;) {
    const page: Awaited<ReturnType<Client["journal"]["list"]>> = await client.journal.list({ after, limit: 1_000 });
    items.push(...page.items);
    after = page.next;
  }
  return items;
}
