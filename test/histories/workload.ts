/** The work of the clients in a history: they read and write a few contended entities, and take and lose their locks. */
import type { GuardedCounter } from "./guarded-counter.ts";
import { pauseFor } from "./pause.ts";
import type { RecordedClient } from "./recorded-client.ts";

/** Every history has subjects of its own, so that several can use the same servers one after the other. */
export function subjectsOf(seed: number): readonly string[] {
  return Array.from({ length: 10 }, (_, number) => `hot/${seed}-${number}`);
}

const ttlMs = 1_000;

export interface Work {
  /** The prefix of all keys of this history. */
  readonly name: string;
  readonly chance: () => number;
  readonly counters: ReadonlyMap<string, GuardedCounter>;
  /** A number that no other call gets; undefined when enough was done. */
  readonly next: () => number | undefined;
}

interface Held {
  readonly fence: string;
  /** The value of the guarded counter when the client got the lock. */
  readonly read: number | undefined;
}

/** One client at work, until enough was done. */
export async function workThrough(client: RecordedClient, { name, chance, counters, next }: Work): Promise<void> {
  const owner = `worker-${client.number}`;
  const seen = new Map<string, number>();
  const held = new Map<string, Held>();
  const subjects = [...counters.keys()];
  const oneOf = <Item>(items: readonly Item[]): Item => items[Math.floor(chance() * items.length)] as Item;

  const read = async (subject: string): Promise<void> => {
    const answer = await client.send({ kind: "read", subject });
    if (answer?.version !== undefined) seen.set(subject, answer.version);
  };
  const write = async (subject: string, number: number): Promise<void> => {
    const version = seen.get(subject);
    const expected = version !== undefined && chance() < 0.6 ? { expected: version } : {};
    const fence = held.get(subject)?.fence;
    const fenced = fence !== undefined && chance() < 0.7 ? { fence } : {};
    // One in ten is sent without a key. If its answer is lost, its effect stays unknown.
    const key = chance() < 0.9 ? `${name} write ${number}` : undefined;
    const answer = await client.send({ kind: "write", subject, number, ...expected, ...fenced }, key);
    if (answer?.version === undefined) seen.delete(subject);
    else seen.set(subject, answer.version);
  };
  const acquire = async (subject: string, number: number): Promise<void> => {
    const answer = await client.send({ kind: "acquire", subject, owner, ttlMs }, `${name} acquire ${number}`);
    if (answer?.fence === undefined) return;
    const known = held.get(subject);
    if (known?.fence !== answer.fence) {
      held.set(subject, { fence: answer.fence, read: counters.get(subject)?.read(answer.fence) });
    }
  };
  /** The client gives up an acquire: before its answer, after it, or before it is sent. */
  const abandon = async (subject: string, number: number): Promise<void> => {
    const key = `${name} acquire ${number}`;
    const send = (): Promise<unknown> =>
      client.send({ kind: "acquire", subject, owner, ttlMs, isAbandoned: true }, key);
    const withdraw = (): Promise<unknown> => client.send({ kind: "withdraw", subject, owner, acquire: key });
    const dice = chance();
    if (dice < 0.6) await Promise.all([send(), withdraw()]);
    else for (const step of dice < 0.8 ? [send, withdraw] : [withdraw, send]) await step();
  };
  const finish = async (subject: string, { fence, read: before }: Held, number: number): Promise<void> => {
    held.delete(subject);
    // A slow client still relies on its lock when its lease has expired.
    if (chance() < 0.03) await pauseFor(ttlMs * (0.5 + chance()));
    if (before !== undefined) counters.get(subject)?.write(fence, before + 1);
    await client.send({ kind: "release", subject, owner, fence }, `${name} release ${number}`);
  };

  for (let number = next(); number !== undefined; number = next()) {
    // A client that holds a lock works mostly on its subject.
    const subject = chance() < 0.5 ? ([...held.keys()][0] ?? oneOf(subjects)) : oneOf(subjects);
    const mine = held.get(subject);
    const dice = chance();
    if (dice < 0.35) await read(subject);
    else if (dice < 0.65) await write(subject, number);
    else if (dice < 0.72) await abandon(subject, number);
    else if (mine === undefined) await acquire(subject, number);
    else await finish(subject, mine, number);
  }
}
