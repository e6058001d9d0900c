/** The behaviour of the 200 agents of the soak run. Each kind has its own habits, good and bad. */
import { connect } from "holdfast";
import type { Client } from "holdfast";
import { systemClock } from "../../server/src/base/clock.ts";
import { rawTryAcquire } from "../../test/locks/raw-acquire.ts";

export interface AgentContext {
  readonly url: string;
  /**
   * A connection that several agents share, like the tasks of one program. They also share the thread that renews
   * leases.
   */
  readonly shared: Client;
  readonly chance: () => number;
  /** Records the duration of a call that waits for no other agent. */
  readonly took: (ms: number) => void;
  readonly failed: (error: unknown) => void;
  readonly isOver: () => boolean;
}

/** Number of agents of each kind, 200 in total. */
export const agentCounts = { locker: 80, editor: 40, booker: 20, watcher: 20, keeper: 20, vanisher: 20 } as const;

export type Kind = keyof typeof agentCounts;

type Behaviour = (context: AgentContext, name: string) => Promise<void>;

export const behaviours: Readonly<Record<Kind, Behaviour>> = {
  // Requests one of a few paths, waits for it, and holds it briefly.
  locker: asTask(async (client, context) => {
    const path = `soak/${Math.floor(context.chance() * 40)}`;
    {
      await using lock = await client.tryAcquire(path, { waitMs: 2_000, ttlMs: 10_000 });
      if (lock.granted) await rest(context, 20);
    }
    await rest(context, 400);
  }),
  // Changes documents that other agents change too.
  editor: withClient({}, async (client, context) => {
    const id = String(Math.floor(context.chance() * 200));
    await measured(context, () =>
      client.entities.update<{ n?: number }>("soak", id, ({ n = 0 }) => ({ n: n + 1 }), { initial: {} }),
    );
    await rest(context, 400);
  }),
  // Uses HTTP with its own idempotency keys, and sends every request twice.
  booker: withClient({ transport: "http" }, async (client, context, number) => {
    const id = String(Math.floor(context.chance() * 200));
    const key = `${number}-${context.chance()}`;
    const write = () => client.run("patch-entity", { type: "soak", id, merge: { by: number } }, { key }).catch(absent);
    await measured(context, write);
    await measured(context, write);
    await rest(context, 600);
  }),
  // Follows all events for some time, then reconnects and resumes at its last position.
  watcher: withClient({}, async (client, context) => {
    let left = 200;
    for await (const _event of client.watch()) {
      left -= 1;
      if (left <= 0 || context.isOver()) break;
    }
    await rest(context, 200);
  }),
  // Holds its own lock nearly all the time.
  keeper: asTask(async (client, context, number) => {
    await using lock = await client.acquire(`kept/${number}`, { ttlMs: 5_000 });
    for (let beats = 0; beats < 20 && lock.state === "held" && !context.isOver(); beats += 1)
      await rest(context, 1_000);
  }),
  vanisher: vanish,
};

/** Takes a lock and disconnects without a release. Then it reconnects under its own key and finds the lock again. */
async function vanish(context: AgentContext, name: string): Promise<void> {
  while (!context.isOver()) {
    const client = await connect(context.url, { transport: "http" });
    try {
      const registered = await client.agents.register({ name, ownKey: name });
      await measured(context, () => rawTryAcquire(client.as(registered), [`gone/${name}`], { ttlMs: 3_000 }));
    } catch (error) {
      context.failed(error);
    }
    await client.close();
    await rest(context, 8_000);
  }
}

type Turn = (client: Client, context: AgentContext, name: string) => Promise<void>;

/** A separate agent on a shared connection. */
function asTask(once: Turn): Behaviour {
  return async (context, name) => {
    await using client = context.shared.agent({ name });
    await again(once, client, context, name);
  };
}

/** An agent with its own connection. */
function withClient(options: { readonly transport?: "http" }, once: Turn): Behaviour {
  return async (context, name) => {
    await using client = await connect(context.url, { ...options, name });
    await again(once, client, context, name);
  };
}

async function again(once: Turn, client: Client, context: AgentContext, name: string): Promise<void> {
  while (!context.isOver()) await once(client, context, name).catch((error: unknown) => context.failed(error));
}

async function measured(context: AgentContext, work: () => Promise<unknown>): Promise<void> {
  const begin = systemClock.monotonicMs();
  await work();
  context.took(systemClock.monotonicMs() - begin);
}

function rest({ chance }: AgentContext, aboutMs: number): Promise<void> {
  return new Promise((resolve) => {
    systemClock.after(aboutMs * (0.5 + chance()), resolve, { keepAlive: true });
  });
}

/** Ignores the error for a document that no editor has made yet. */
function absent(error: unknown): void {
  if ((error as { readonly code?: string }).code !== "entity_not_found") throw error;
}
