/**
 * Cleans up orphaned server state: locks granted after their waiter aborted, abandoned tickets, and acquires whose
 * reply was lost. Heartbeats would keep all of it alive.
 *
 * To the server a whole client is one owner. State that one task orphaned may belong to another task's request, under
 * the same fence. So it is released only when no task of this client uses the set. Taking a lock from a program that
 * relies on it would be worse than holding it longer.
 */
import type { Granted, Queued } from "../../../contract/locks.ts";
import type { ClientClock } from "../../client-clock.ts";
import { pause } from "../../../base/pause.ts";
import { backoffMs } from "../../../base/backoff-ms.ts";
import { mayWorkLater } from "../closed-error.ts";
import type { CallOptions } from "../../transport.ts";
import type { PathSetMutex } from "./path-set-mutex.ts";

export type OrphanedState =
  | GrantLeft
  | { readonly kind: "ticket"; readonly ticket: string }
  /**
   * A repeated request returns its first reply. If it had never arrived, it is granted or queued by the repeat, and
   * then cleaned up.
   */
  | { readonly kind: "question"; readonly question: SentRequest };

/** A lock request as it was sent. */
export interface SentRequest {
  readonly input: object;
  readonly call: Pick<CallOptions, "key">;
}

interface GrantLeft {
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
  readonly turns: PathSetMutex;
  readonly isClosed: boolean;
  readonly grants: { has(fence: string): boolean };
  readonly tickets: { has(ticket: string): boolean };
  /** Tickets whose cancellation was sent and not answered. */
  readonly unwanted: Set<string>;
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

function isSame(one: OrphanedState, other: OrphanedState): boolean {
  if (one.kind === "grant") return other.kind === "grant" && one.fence === other.fence;
  if (one.kind === "ticket") return other.kind === "ticket" && one.ticket === other.ticket;
  return other.kind === "question" && JSON.stringify(one.question) === JSON.stringify(other.question);
}

export class CleanupQueue {
  readonly #owner: CleanupOwner;
  readonly #bySet = new Map<string, Set<OrphanedState>>();
  readonly #atWork = new Set<string>();

  constructor(owner: CleanupOwner) {
    this.#owner = owner;
  }

  get isEmpty(): boolean {
    return this.#bySet.size === 0;
  }

  add(set: string, leftover: OrphanedState): void {
    const left = this.#bySet.get(set) ?? new Set();
    this.#bySet.set(set, left);
    const known = [...left].find((one) => isSame(one, leftover));
    if (known === undefined) left.add(leftover);
    else if (known.kind === "grant" && leftover.kind === "grant" && leftover.isInDoubt === true) known.isInDoubt = true;
    this.look();
  }

  /** A task gave up a set: clean-ups that had to wait for that may run. */
  look(): void {
    for (const set of this.#bySet.keys()) if (!this.#atWork.has(set)) void this.#work(set);
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
      await this.#owner.turns.alone(set, async () => {
        const one = this.#inDoubt(set);
        if (one !== undefined) await this.#giveBack(set, one, "run");
      });
    }
  }

  /** The owner has ended, and everything that it had ended with it. */
  forget(): void {
    this.#bySet.clear();
  }

  /** The session ends. Each clean-up has one attempt, including replies that are just arriving. */
  async close(): Promise<void> {
    const { turns } = this.#owner;
    await turns.answered();
    const all = [...this.#bySet].map(async ([set, left]) => {
      const giveBackEach = async (): Promise<void> => {
        // The result of a clean-up may be another one, which has its attempt too.
        for (const one of left) await this.#giveBack(set, one, "once").catch(() => undefined);
      };
      await turns.alone(set, giveBackEach);
    });
    await Promise.all(all);
  }

  async #work(set: string): Promise<void> {
    const { clock, turns } = this.#owner;
    this.#atWork.add(set);
    for (let failed = 0; this.#due(set) !== undefined;) {
      try {
        await turns.alone(set, () => this.#giveBackNext(set));
        failed = 0;
      } catch {
        failed += 1;
        await pause(clock, backoffMs(delays, failed, clock.random()), { keepAlive: false });
      }
    }
    this.#atWork.delete(set);
  }

  async #giveBackNext(set: string): Promise<void> {
    const one = this.#due(set);
    if (one !== undefined) await this.#giveBack(set, one, "once");
  }

  /** Throws if the clean-up failed for the moment. */
  async #giveBack(set: string, one: OrphanedState, send: Send): Promise<void> {
    try {
      const next = await this.#rest(one, send);
      if (next !== undefined) this.#bySet.get(set)?.add(next);
    } catch (error) {
      if (mayWorkLater(error)) throw error;
    }
    if (one.kind === "ticket") this.#owner.unwanted.delete(one.ticket);
    this.#drop(set, one);
  }

  /** Runs the clean-up and returns what it left. */
  async #rest(one: OrphanedState, send: Send): Promise<OrphanedState | undefined> {
    switch (one.kind) {
      case "grant": {
        const { fence, note } = one;
        one.isInDoubt = true;
        await this.#owner[send]("release-lock", note === undefined ? { fence } : { fence, note });
        return undefined;
      }
      case "ticket": {
        const { ticket } = one;
        this.#owner.unwanted.add(ticket);
        const answer = (await this.#owner[send]("cancel-ticket", { ticket })) as { cancelled: string } | Granted;
        return "granted" in answer ? orphanedBy(answer) : undefined;
      }
      case "question":
        return orphanedBy(
          (await this.#owner.once("acquire-lock", one.question.input, one.question.call)) as Granted | Queued,
        );
    }
  }

  /**
   * A ticket is cancelled at once, so that the tickets behind it do not wait. Everything else may be used by another
   * task under the same fence.
   */
  #due(set: string): OrphanedState | undefined {
    if (this.#owner.isClosed) return undefined;
    for (const one of this.#bySet.get(set) ?? []) {
      if (this.#isTaken(one)) this.#drop(set, one);
      else if (one.kind === "ticket" || !this.#owner.wants(set)) return one;
    }
    return undefined;
  }

  #inDoubt(set: string): GrantLeft | undefined {
    for (const one of this.#bySet.get(set) ?? []) {
      if (one.kind === "grant" && one.isInDoubt === true && !this.#isTaken(one)) return one;
    }
    return undefined;
  }

  /** Another task uses it and will release it. */
  #isTaken(one: OrphanedState): boolean {
    const { grants, tickets } = this.#owner;
    if (one.kind === "question") return false;
    return one.kind === "grant" ? grants.has(one.fence) : tickets.has(one.ticket);
  }

  #drop(set: string, one: OrphanedState): void {
    const left = this.#bySet.get(set);
    left?.delete(one);
    if (left?.size === 0) this.#bySet.delete(set);
  }
}
