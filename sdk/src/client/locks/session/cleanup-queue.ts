/**
 * Cleans up orphaned server state: locks granted after their waiter aborted, abandoned tickets, and acquires whose
 * reply was lost. Heartbeats would keep all of it alive.
 *
 * To the server a whole client is one owner. State that one task orphaned may belong to another task's request, under
 * the same fence. So it is released only when no task of this client uses the set. Taking a lock from a program that
 * relies on it would be worse than holding it longer.
 */
import type { Granted, Queued } from "../../operation-output.ts";
import type { ClientClock } from "../../client-clock.ts";
import { pause } from "../../../base/pause.ts";
import { backoffMs } from "../../../base/backoff-ms.ts";
import { mayWorkLater } from "../closed-error.ts";
import type { CallOptions } from "../../transport.ts";
import type { PathSetMutex } from "./path-set-mutex.ts";

export type OrphanedState =
  | OrphanedGrant
  | { readonly kind: "ticket"; readonly ticket: string }
  /**
   * A repeated request returns its first reply. If it had never arrived, it is granted or queued by the repeat, and
   * then cleaned up.
   */
  | { readonly kind: "request"; readonly request: SentRequest };

/** A lock request as it was sent. */
export interface SentRequest {
  readonly input: object;
  readonly call: Pick<CallOptions, "key">;
}

interface OrphanedGrant {
  readonly kind: "grant";
  readonly fence: string;
  readonly note?: string;
  /** Its release was sent, and its arrival is unknown. */
  isInDoubt?: boolean;
}

/** With the retries of a call, or once. */
type Send = "run" | "once";

interface CleanupOwner {
  readonly clock: ClientClock;
  readonly mutex: PathSetMutex;
  readonly isClosed: boolean;
  readonly grants: { has(fence: string): boolean };
  readonly tickets: { has(ticket: string): boolean };
  /** Tickets whose cancellation was sent and not answered. */
  readonly cancelling: Set<string>;
  /** Whether a task of this client holds the set, waits for it or requests it. */
  wants(set: string): boolean;
  run(operation: string, input: object): Promise<unknown>;
  once(operation: string, input: object, options?: CallOptions): Promise<unknown>;
}

const delays = { baseMs: 500, capMs: 10_000 };

/** A reply without a caller. */
export function orphanedBy(answer: Granted | Queued): OrphanedState {
  return answer.granted ? { kind: "grant", fence: answer.fence } : { kind: "ticket", ticket: answer.ticket };
}

function isSame(a: OrphanedState, b: OrphanedState): boolean {
  if (a.kind === "grant") return b.kind === "grant" && a.fence === b.fence;
  if (a.kind === "ticket") return b.kind === "ticket" && a.ticket === b.ticket;
  return b.kind === "request" && JSON.stringify(a.request) === JSON.stringify(b.request);
}

export class CleanupQueue {
  readonly #owner: CleanupOwner;
  readonly #bySet = new Map<string, Set<OrphanedState>>();
  readonly #active = new Set<string>();

  constructor(owner: CleanupOwner) {
    this.#owner = owner;
  }

  get isEmpty(): boolean {
    return this.#bySet.size === 0;
  }

  add(set: string, orphan: OrphanedState): void {
    const orphans = this.#bySet.get(set) ?? new Set();
    this.#bySet.set(set, orphans);
    const known = [...orphans].find((other) => isSame(other, orphan));
    if (known === undefined) orphans.add(orphan);
    else if (known.kind === "grant" && orphan.kind === "grant" && orphan.isInDoubt === true) known.isInDoubt = true;
    this.run();
  }

  /** A task gave up a set: clean-ups that had to wait for that may run. */
  run(): void {
    for (const set of this.#bySet.keys()) if (!this.#active.has(set)) void this.#work(set);
  }

  /** Whether a release of unknown outcome could free the grant of the next request for the set. */
  isInDoubt(set: string): boolean {
    return this.#inDoubt(set) !== undefined;
  }

  /**
   * Sends such a release again. Once it is answered, the earlier one can free nothing. Throws if it is not answered.
   */
  async endDoubt(set: string): Promise<void> {
    while (this.isInDoubt(set)) {
      await this.#owner.mutex.runExclusive(set, async () => {
        const orphan = this.#inDoubt(set);
        if (orphan !== undefined) await this.#cleanUp(set, orphan, "run");
      });
    }
  }

  /** The owner has ended, and everything that it had ended with it. */
  forget(): void {
    this.#bySet.clear();
  }

  /** The session ends. Each clean-up has one attempt, including replies that are just arriving. */
  async close(): Promise<void> {
    const { mutex } = this.#owner;
    await mutex.drained();
    const all = [...this.#bySet].map(async ([set, orphans]) => {
      const cleanUpEach = async (): Promise<void> => {
        // The result of a clean-up may be another one, which has its attempt too.
        for (const orphan of orphans) await this.#cleanUp(set, orphan, "once").catch(() => undefined);
      };
      await mutex.runExclusive(set, cleanUpEach);
    });
    await Promise.all(all);
  }

  async #work(set: string): Promise<void> {
    const { clock, mutex } = this.#owner;
    this.#active.add(set);
    for (let failed = 0; this.#due(set) !== undefined;) {
      try {
        await mutex.runExclusive(set, () => this.#cleanUpNext(set));
        failed = 0;
      } catch {
        failed += 1;
        await pause(clock, backoffMs(delays, failed, clock.random()), { keepAlive: false });
      }
    }
    this.#active.delete(set);
  }

  async #cleanUpNext(set: string): Promise<void> {
    const orphan = this.#due(set);
    if (orphan !== undefined) await this.#cleanUp(set, orphan, "once");
  }

  /** Throws if the clean-up failed for the moment. */
  async #cleanUp(set: string, orphan: OrphanedState, send: Send): Promise<void> {
    try {
      const next = await this.#send(orphan, send);
      if (next !== undefined) this.#bySet.get(set)?.add(next);
    } catch (error) {
      if (mayWorkLater(error)) throw error;
    }
    if (orphan.kind === "ticket") this.#owner.cancelling.delete(orphan.ticket);
    this.#drop(set, orphan);
  }

  /** Runs the clean-up and returns the state that it orphaned, if any. */
  async #send(orphan: OrphanedState, send: Send): Promise<OrphanedState | undefined> {
    switch (orphan.kind) {
      case "grant": {
        const { fence, note } = orphan;
        orphan.isInDoubt = true;
        await this.#owner[send]("release-lock", note === undefined ? { fence } : { fence, note });
        return undefined;
      }
      case "ticket": {
        const { ticket } = orphan;
        this.#owner.cancelling.add(ticket);
        const answer = (await this.#owner[send]("cancel-ticket", { ticket })) as { cancelled: string } | Granted;
        return "granted" in answer ? orphanedBy(answer) : undefined;
      }
      case "request":
        return orphanedBy(
          (await this.#owner.once("acquire-lock", orphan.request.input, orphan.request.call)) as Granted | Queued,
        );
    }
  }

  /**
   * A ticket is cancelled at once, so that the tickets behind it do not wait. Everything else may be used by another
   * task under the same fence.
   */
  #due(set: string): OrphanedState | undefined {
    if (this.#owner.isClosed) return undefined;
    for (const orphan of this.#bySet.get(set) ?? []) {
      if (this.#isUsed(orphan)) this.#drop(set, orphan);
      else if (orphan.kind === "ticket" || !this.#owner.wants(set)) return orphan;
    }
    return undefined;
  }

  #inDoubt(set: string): OrphanedGrant | undefined {
    for (const orphan of this.#bySet.get(set) ?? []) {
      if (orphan.kind === "grant" && orphan.isInDoubt === true && !this.#isUsed(orphan)) return orphan;
    }
    return undefined;
  }

  /** Another task uses it and will release it. */
  #isUsed(orphan: OrphanedState): boolean {
    const { grants, tickets } = this.#owner;
    if (orphan.kind === "request") return false;
    return orphan.kind === "grant" ? grants.has(orphan.fence) : tickets.has(orphan.ticket);
  }

  #drop(set: string, orphan: OrphanedState): void {
    const orphans = this.#bySet.get(set);
    orphans?.delete(orphan);
    if (orphans?.size === 0) this.#bySet.delete(set);
  }
}
