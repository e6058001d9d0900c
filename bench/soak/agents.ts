/** The behaviour of the 200 agents of the soak run. Each kind has its own habits, good and bad. */
import { connect } from "holdfast";
import type { Client } from "holdfast";
import { systemClock } from "../../server/src/base/clock.ts";

export interface Habits {
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
export const crowd = { locker: 80, editor: 40, booker: 20, watcher: 20, keeper: 20, vanisher: 20 } as const;

export type Kind = keyof typeof crowd;

type Life = (habits: Habits, name: string) => Promise<void>;

export const lives: Readonly<Record<Kind, Life>> = {
  // Requests one of a few paths, waits for it, and holds it briefly.
  locker: asTask(async (client, habits) => {
    const path = `soak/${Math.floor(habits.chance() * 40)}`;
    {
      await using lock = await client.acquire(path, { waitMs: 2_000, ttlSeconds: 10 });
      if (lock.granted) await rest(habits, 20);
    }
    await rest(habits, 400);
  }),
  // Changes documents that other agents change too.
  editor: withClient({}, async (client, habits) => {
    const id = String(Math.floor(habits.chance() * 200));
    await measured(habits, () =>
      client.entities.update<{ n?: number }>("soak", id, ({ n = 0 }) => ({ n: n + 1 }), { initial: {} }),
    );
    await rest(habits, 400);
  }),
  // Uses HTTP with its own idempotency keys, and sends every request twice.
  booker: withClient({ transport: "http" }, async (client, habits, number) => {
    const id = String(Math.floor(habits.chance() * 200));
    const key = `${number}-${habits.chance()}`;
    const write = () => client.run("patch-entity", { type: "soak", id, merge: { by: number } }, { key }).catch(absent);
    await measured(habits, write);
    await measured(habits, write);
    await rest(habits, 600);
  }),
  // Follows all events for some time, then reconnects and resumes at its last position.
  watcher: withClient({}, async (client, habits) => {
    let left = 200;
    for await (const _event of client.watch()) {
      left -= 1;
      if (left <= 0 || habits.isOver()) break;
    }
    await rest(habits, 200);
  }),
  // Holds its own lock nearly all the time.
  keeper: asTask(async (client, habits, number) => {
    await using lock = await client.acquire(`kept/${number}`, { ttlSeconds: 5 });
    for (let beats = 0; beats < 20 && lock.granted && !habits.isOver(); beats += 1) await rest(habits, 1_000);
  }),
  vanisher: vanish,
};

/** Takes a lock and disconnects without a release. Then it reconnects under its own key and finds the lock again. */
async function vanish(habits: Habits, name: string): Promise<void> {
  while (!habits.isOver()) {
    const client = await connect(habits.url, { transport: "http" });
    try {
      const registered = await client.agents.register({ name, ownKey: name });
      await measured(habits, () => client.as(registered).locks.tryAcquire(`gone/${name}`, { ttlSeconds: 3 }));
    } catch (error) {
      habits.failed(error);
    }
    await client.close();
    await rest(habits, 8_000);
  }
}

type Turn = (client: Client, habits: Habits, name: string) => Promise<void>;

/** A separate agent on a shared connection. */
function asTask(once: Turn): Life {
  return async (habits, name) => {
    await using client = habits.shared.fork({ name });
    await again(once, client, habits, name);
  };
}

/** An agent with its own connection. */
function withClient(options: { readonly transport?: "http" }, once: Turn): Life {
  return async (habits, name) => {
    await using client = await connect(habits.url, { ...options, name });
    await again(once, client, habits, name);
  };
}

async function again(once: Turn, client: Client, habits: Habits, name: string): Promise<void> {
  while (!habits.isOver()) await once(client, habits, name).catch((error: unknown) => habits.failed(error));
}

async function measured(habits: Habits, work: () => Promise<unknown>): Promise<void> {
  const begin = systemClock.monotonicMs();
  await work();
  habits.took(systemClock.monotonicMs() - begin);
}

function rest({ chance }: Habits, aboutMs: number): Promise<void> {
  return new Promise((resolve) => {
    systemClock.after(aboutMs * (0.5 + chance()), resolve, { keepAlive: true });
  });
}

/** Ignores the error for a document that no editor has made yet. */
function absent(error: unknown): void {
  if ((error as { readonly code?: string }).code !== "entity_not_found") throw error;
}
