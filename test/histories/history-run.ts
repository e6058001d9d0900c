/** One history: clients at work on real processes to which things happen, and everything that was said. */
import { connect } from "holdfast";
import type { Client, JournalItem } from "holdfast";
import { seededRandom } from "../scenario/kill-lines.ts";
import { beginningOf } from "./beginning.ts";
import type { Call } from "./call.ts";
import type { Deployment, Fault } from "./deployment.ts";
import { GuardedCounter } from "./guarded-counter.ts";
import { RecordedClient } from "./recorded-client.ts";
import { Watcher } from "./watcher.ts";
import { subjectsOf, workThrough } from "./workload.ts";

export interface HistoryPlan {
  readonly seed: number;
  readonly calls: number;
  readonly clients: number;
  /** At the most: how many it is depends on the seed, so that leases can also end in peace. */
  readonly faultsMax: number;
}

export interface History {
  readonly subjects: readonly string[];
  readonly calls: readonly Call[];
  readonly journal: readonly JournalItem[];
  /** How many events each watcher was told, through all that happened; they have been compared with the journal. */
  readonly watched: readonly number[];
  readonly counters: ReadonlyMap<string, GuardedCounter>;
  readonly struck: ReadonlyMap<string, number>;
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
  const calls: Call[] = [];
  const subjects = subjectsOf(plan.seed);
  const counters = new Map(subjects.map((subject) => [subject, new GuardedCounter()]));
  const operator = await reach({ way: "socket", node: 0, reconnectMs: patienceMs, token: operatorToken });
  for (const subject of subjects) await operator.run("create-entity", entityOf(subject), { key: `create ${subject}` });
  const { cursor, position } = await beginningOf(operator);
  const watchers = await Promise.all(
    ways.map(async (way) => new Watcher(way, await reach({ way, node: 0, reconnectMs: patienceMs }), cursor)),
  );
  const pace = new Pace(plan.calls, Math.floor(chance() * (plan.faultsMax + 1)));
  const work = Array.from({ length: plan.clients }, async (_, number) => {
    // Every second one speaks HTTP, and the nodes get an equal share of both.
    const client = await reach({ way: ways[number % 2] ?? "socket", node: number >> 1, reconnectMs: 1_000 });
    const own = seededRandom(plan.seed * 1_000 + number);
    return workThrough(new RecordedClient(number, client, calls), {
      name: `history ${plan.seed}`,
      chance: own,
      counters,
      next: () => pace.next(),
    });
  });
  const striking = strikeWhile(faults, chance, pace);
  await Promise.all(work).finally(() => pace.end());
  const struck = await striking;
  const journal = await readJournal(operator, position);
  const watched = await Promise.all(watchers.map((watcher) => watcher.check(journal)));
  return { subjects, calls, journal, watched, counters, struck };
}

const ways = ["socket", "http"] as const;

/** A connection that is looked for so long outlives every fault. */
const patienceMs = 60_000;

interface Reach {
  readonly way: (typeof ways)[number];
  readonly node: number;
  readonly reconnectMs: number;
  readonly token?: string;
}

function reachNode({ urls, token }: Deployment, { way, node, reconnectMs, ...own }: Reach): Promise<Client> {
  const given = own.token ?? token;
  const options = { transport: way, retry: false, reconnectMs, ...(given !== undefined && { token: given }) } as const;
  return connect(urls[node % urls.length], options);
}

function entityOf(subject: string): Readonly<Record<string, unknown>> {
  const [type, id] = subject.split("/");
  return { type, id, value: { number: 0 } };
}

/** Counts calls, and tells when it is time for the next fault. */
class Pace {
  readonly #calls: number;
  readonly faults: number;
  #count = 0;
  #isOver = false;
  #waiting: { readonly at: number; readonly go: () => void } | undefined;

  constructor(calls: number, faults: number) {
    this.#calls = calls;
    this.faults = faults;
  }

  next(): number | undefined {
    if (this.#count >= this.#calls) return undefined;
    this.#count += 1;
    if (this.#waiting !== undefined && this.#count >= this.#waiting.at) this.#waiting.go();
    return this.#count;
  }

  /** Until so many calls were begun; false if there is nothing left to disturb. */
  async until(fault: number): Promise<boolean> {
    const at = Math.floor(((fault + 1) * this.#calls) / (this.faults + 1));
    if (!this.#isOver && this.#count < at) {
      await new Promise<void>((go) => {
        this.#waiting = { at, go };
      });
    }
    return !this.#isOver;
  }

  end(): void {
    this.#isOver = true;
    this.#waiting?.go();
  }
}

async function strikeWhile(
  faults: readonly Fault[],
  chance: () => number,
  pace: Pace,
): Promise<ReadonlyMap<string, number>> {
  const struck = new Map<string, number>();
  for (let number = 0; number < pace.faults; number += 1) {
    const fault = faults[Math.floor(chance() * faults.length)];
    if (fault === undefined || !(await pace.until(number))) break;
    await fault.strike(chance);
    struck.set(fault.name, (struck.get(fault.name) ?? 0) + 1);
  }
  return struck;
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
