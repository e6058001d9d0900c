/**
 * What clients do to the nodes while things happen to them, and what they were told: each acknowledgement is kept, to be
 * looked for in the end. Whoever is refused in a way that a repeat must not be refused stops everything.
 */
import assert from "node:assert/strict";
import { connect, HoldfastError, LockLostError, systemClientClock } from "@holdfast/sdk";
import type { Client, Written } from "@holdfast/sdk";
import { persist, within, Worker } from "./worker.ts";

/** A write that was acknowledged. */
export interface AcknowledgedWrite {
  readonly what: "note" | "counter" | "guarded";
  readonly id: string;
  readonly version: number;
  readonly epoch: number;
  readonly position: number;
  readonly atMs: number;
  /** The fence that it was made under. */
  readonly fence?: string;
}

const leaseSeconds = 2;
/** A node that sleeps for so long has slept through a lease. */
export const beyondLeaseMs = leaseSeconds * 1_000 + 300;

export class Load {
  readonly acknowledged: AcknowledgedWrite[] = [];
  readonly workers: readonly Worker[];
  readonly #clients: readonly Client[];
  readonly #broken = Promise.withResolvers<never>();
  #runs: Promise<void>[] = [];
  #isStopping = false;
  #lossCount = 0;

  static async start(urls: readonly string[]): Promise<Load> {
    // Each has another node first, so that all nodes have something to do.
    const clients = await Promise.all(
      Array.from({ length: 3 }, (_, index) => {
        const clock = { ...systemClientClock, random: () => 0 };
        return connect([...urls.slice(index), ...urls.slice(0, index)], { clock, name: `client ${String(index)}` });
      }),
    );
    const load = new Load(clients);
    const [first] = clients as [Client];
    for (const type of ["counter", "guarded"]) await first.entities.create(type, "1", { n: 0, by: "nobody" });
    load.#begin();
    return load;
  }

  private constructor(clients: readonly Client[]) {
    this.#clients = clients;
    this.workers = clients.flatMap((client, index) => [
      this.#notes(client, `notes ${String(index)}`),
      this.#counting(client, `counting ${String(index)}`),
      this.#locking(client, `locking ${String(index)}`),
    ]);
    // It is looked at when somebody waits for progress, which may be later.
    this.#broken.promise.catch(() => undefined);
  }

  /** How often a lock was lost while it was used: that may happen, and must do no harm. */
  get lossCount(): number {
    return this.#lossCount;
  }

  /** Everybody did something that was begun after this call; it fails if that takes longer than it may. */
  async progress(withinMs: number): Promise<number> {
    const startMs = performance.now();
    const all = Promise.all(this.workers.map((worker) => worker.progress()));
    const lateText = (): string => `no progress within ${String(withinMs)} ms: ${this.workers.map(toText).join(", ")}`;
    await within(withinMs, Promise.race([all, this.#broken.promise]), () => new Error(lateText()));
    return performance.now() - startMs;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const worker of this.workers) worker.stop();
    await Promise.all(this.#runs);
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
  }

  #begin(): void {
    this.#runs = this.workers.map((worker) =>
      worker.run().catch((error: unknown) => {
        this.#broken.reject(new Error(`${worker.name}: ${String(error)}`, { cause: error }));
        if (!this.#isStopping) return;
        throw error;
      }),
    );
  }

  /** A write under a key is sent until it is answered. It was done once, or `entity_exists` would say otherwise. */
  #notes(client: Client, name: string): Worker {
    let count = 0;
    return new Worker(name, async () => {
      count += 1;
      const id = `${name} ${String(count)}`;
      const written = await this.#persist(() => client.entities.create("note", id, { n: count }, { key: id }));
      assert.equal(written.version, 1);
      this.#note("note", id, written);
    });
  }

  /** Reads the latest, and writes if nobody else was faster: then the number is as large as the version says. */
  #counting(client: Client, name: string): Worker {
    let count = 0;
    return new Worker(name, async () => {
      count += 1;
      const id = `${name} ${String(count)}`;
      const { version } = await this.#persist(() => client.entities.get("counter", "1"));
      try {
        const value = { n: version, by: id };
        const options = { expectedVersion: version, key: id };
        this.#note("counter", id, await this.#persist(() => client.entities.replace("counter", "1", value, options)));
      } catch (error) {
        if (!(error instanceof HoldfastError) || error.code !== "concurrency_mismatch") throw error;
      }
    });
  }

  /** Takes the lock, writes twice under its fence, and releases it. A lock may be lost in between; then a write is refused. */
  #locking(client: Client, name: string): Worker {
    let count = 0;
    // An agent of its own: the lock excludes the others who use the same connection.
    const own = client.fork({ name });
    return new Worker(name, async () => {
      count += 1;
      try {
        await using lock = await own.acquire("guarded/1", { ttlSeconds: leaseSeconds });
        assert.ok(lock.granted);
        for (const half of ["first", "second"]) {
          const id = `${name} ${String(count)} ${half}`;
          const { fence } = lock;
          const value = { n: count, by: id };
          const written = await own.entities.replace("guarded", "1", value, { fence, key: id });
          this.#note("guarded", id, written, fence);
        }
      } catch (error) {
        if (!isLoss(error)) throw error;
        // The same agent goes on: a place in the line that it has left with a node that is gone is the one it asks for.
        this.#lossCount += 1;
      }
    });
  }

  #persist<Result>(work: () => Promise<Result>): Promise<Result> {
    return persist(work, () => false);
  }

  #note(what: AcknowledgedWrite["what"], id: string, { version, revision, position }: Written, fence?: string): void {
    const epoch = Number(revision.split(".")[0]);
    const under = fence === undefined ? {} : { fence };
    this.acknowledged.push({ what, id, version, epoch, position, atMs: performance.now(), ...under });
  }
}

/**
 * The lock is not held any more, or nothing could be reached for so long that the client gave up. Its place in the line may
 * be left behind then, in which it would wait for itself; that is refused as a deadlock, until the place is passed on.
 */
function isLoss(error: unknown): boolean {
  if (error instanceof LockLostError) return true;
  if (error instanceof SuppressedError) return isLoss(error.error) && isLoss(error.suppressed);
  if (!(error instanceof HoldfastError)) return false;
  const { code, retry } = error;
  const gone = ["lock_not_held", "fence_invalid", "agent_unknown", "ticket_unknown", "deadlock"];
  return gone.includes(code) || code.startsWith("fence") || retry === "same-key" || retry === "later";
}

function toText({ name, doneCount }: Worker): string {
  return `${name} ${String(doneCount)}`;
}
