/**
 * The load on the nodes during the faults. Each acknowledgement is kept and searched for in the journal at the end. A call
 * that is refused although its retry must succeed ends the run.
 */
import { defined } from "@holdfast/sdk/base/defined";
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
/** A node that sleeps this long has slept through a lease. */
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
    // Each client prefers another node, so that all nodes have work.
    const clients = await Promise.all(
      Array.from({ length: 3 }, (_, index) => {
        const clock = { ...systemClientClock, random: () => 0 };
        return connect([...urls.slice(index), ...urls.slice(0, index)], { clock, name: `client ${String(index)}` });
      }),
    );
    const load = new Load(clients);
    const [first] = clients as [Client];
    for (const type of ["counter", "guarded"]) await first.entities.create(type, "1", { n: 0, by: "none" });
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
    // It is awaited by the next call of progress(), which may be later.
    this.#broken.promise.catch(() => undefined);
  }

  /** How often a lock was lost in use. That may happen, and must do no harm. */
  get lossCount(): number {
    return this.#lossCount;
  }

  /** Resolves when every worker has done a step that began after this call. Fails if that takes too long. */
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

  /** A write under a key is retried until it is answered. If it had been done twice, the answer would be `entity_exists`. */
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

  /** Reads the latest version, and writes if no other client was faster. So the number follows from the version. */
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
    // An agent of its own: the lock excludes the other users of the connection.
    const own = client.agent({ name });
    return new Worker(name, async () => {
      count += 1;
      try {
        await using lock = await own.acquire("guarded/1", { ttlMs: leaseSeconds * 1000 });
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
        // The same agent continues, so it finds a ticket that it left with a node that is gone.
        this.#lossCount += 1;
      }
    });
  }

  #persist<Result>(work: () => Promise<Result>): Promise<Result> {
    return persist(work, () => false);
  }

  #note(what: AcknowledgedWrite["what"], id: string, { version, revision, position }: Written, fence?: string): void {
    const epoch = Number(revision.split(".")[0]);
    const under = defined({ fence });
    this.acknowledged.push({ what, id, version, epoch, position, atMs: performance.now(), ...under });
  }
}

/**
 * The lock was lost, or the client gave up because no node answered. It may have left a ticket behind. Waiting behind its own
 * ticket is refused as a deadlock until that ticket expires.
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
