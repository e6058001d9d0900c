/**
 * What the server may have for this client, and nobody here wants any more: a lock whose waiter had gone when it came, a
 * place in a line, a question whose answer got lost. The heartbeats keep all of it alive, so it must be given back.
 *
 * To the server a whole client is one owner. What one task leaves behind another one may have got by its own question,
 * under the same fence; so it is given back only when nobody in this client wants the set any more. To take a lock from a
 * program that believes to have it would be worse than to keep it for longer.
 */
import type { Granted, Queued } from "../../../contract/locks.ts";
import type { ClientClock } from "../../client-clock.ts";
import { pause } from "../../../base/pause.ts";
import { backoffMs } from "../../../base/backoff-ms.ts";
import { mayWorkLater } from "../refusals.ts";
import type { CallOptions } from "../../transport.ts";
import type { SetTurns } from "./path-set-mutex.ts";

export type Leftover =
  | GrantLeft
  | { readonly kind: "ticket"; readonly ticket: string }
  /** Asked again it tells what it was answered. If it had never arrived it is granted or queued now, and that is left. */
  | { readonly kind: "question"; readonly question: Question };

/** A request for locks as it was sent. */
export interface Question {
  readonly input: object;
  readonly call: Pick<CallOptions, "key">;
}

interface GrantLeft {
  readonly kind: "grant";
  readonly fence: string;
  readonly note?: string;
  /** Its release was sent, and nobody knows whether it arrived, or is still to arrive. */
  isInDoubt?: boolean;
}

/** As often as a call is tried, or once. */
type Send = "run" | "once";

export interface LeftoverOwner {
  readonly clock: ClientClock;
  readonly turns: SetTurns;
  readonly isClosed: boolean;
  readonly grants: { has(fence: string): boolean };
  readonly tickets: { has(ticket: string): boolean };
  /** Tickets whose cancelling was sent, and not answered yet. */
  readonly unwanted: Set<string>;
  /** Whether anybody here holds the set, waits for it or asks for it. */
  wants(set: string): boolean;
  run(operation: string, input: object): Promise<unknown>;
  once(operation: string, input: object, options?: CallOptions): Promise<unknown>;
}

const delays = { baseMs: 500, capMs: 10_000 };

/** An answer that nobody wants. */
export function leftOf(answer: Granted | Queued): Leftover {
  return answer.granted ? { kind: "grant", fence: answer.fence } : { kind: "ticket", ticket: answer.ticket };
}

function isSame(one: Leftover, other: Leftover): boolean {
  if (one.kind === "grant") return other.kind === "grant" && one.fence === other.fence;
  if (one.kind === "ticket") return other.kind === "ticket" && one.ticket === other.ticket;
  return other.kind === "question" && JSON.stringify(one.question) === JSON.stringify(other.question);
}

export class Leftovers {
  readonly #owner: LeftoverOwner;
  readonly #bySet = new Map<string, Set<Leftover>>();
  readonly #atWork = new Set<string>();

  constructor(owner: LeftoverOwner) {
    this.#owner = owner;
  }

  get isEmpty(): boolean {
    return this.#bySet.size === 0;
  }

  add(set: string, leftover: Leftover): void {
    const left = this.#bySet.get(set) ?? new Set();
    this.#bySet.set(set, left);
    const known = [...left].find((one) => isSame(one, leftover));
    if (known === undefined) left.add(leftover);
    else if (known.kind === "grant" && leftover.kind === "grant" && leftover.isInDoubt === true) known.isInDoubt = true;
    this.look();
  }

  /** Somebody wants less than before: what had to wait for that may be given back now. */
  look(): void {
    for (const set of this.#bySet.keys()) if (!this.#atWork.has(set)) void this.#work(set);
  }

  /** Whether a release is in doubt that could free what the next question for the set is answered with. */
  isInDoubt(set: string): boolean {
    return this.#inDoubt(set) !== undefined;
  }

  /** Sends such a release again: once it is answered the earlier one can free nothing any more. Throws if it is not. */
  async endDoubt(set: string): Promise<void> {
    while (this.isInDoubt(set)) {
      await this.#owner.turns.alone(set, async () => {
        const one = this.#inDoubt(set);
        if (one !== undefined) await this.#giveBack(set, one, "run");
      });
    }
  }

  /** The owner is no more, and all that it had has gone with it. */
  forget(): void {
    this.#bySet.clear();
  }

  /** The session ends. Each has one try, since nobody stays who could try again; also what is only just being answered. */
  async close(): Promise<void> {
    const { turns } = this.#owner;
    await turns.answered();
    const all = [...this.#bySet].map(async ([set, left]) => {
      const giveBackEach = async (): Promise<void> => {
        // What becomes of one is added, and has its try too.
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

  /** Throws if it could not be done now. */
  async #giveBack(set: string, one: Leftover, send: Send): Promise<void> {
    try {
      const next = await this.#rest(one, send);
      if (next !== undefined) this.#bySet.get(set)?.add(next);
    } catch (error) {
      if (mayWorkLater(error)) throw error;
    }
    if (one.kind === "ticket") this.#owner.unwanted.delete(one.ticket);
    this.#drop(set, one);
  }

  /** Does it, and tells what that has left. */
  async #rest(one: Leftover, send: Send): Promise<Leftover | undefined> {
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
        return "granted" in answer ? leftOf(answer) : undefined;
      }
      case "question":
        return leftOf(
          (await this.#owner.once("acquire-lock", one.question.input, one.question.call)) as Granted | Queued,
        );
    }
  }

  /** A place in the line is left at once: those behind it wait for nothing. All else may be another's by the same name. */
  #due(set: string): Leftover | undefined {
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

  /** Somebody has it since, and gives it back in turn. */
  #isTaken(one: Leftover): boolean {
    const { grants, tickets } = this.#owner;
    if (one.kind === "question") return false;
    return one.kind === "grant" ? grants.has(one.fence) : tickets.has(one.ticket);
  }

  #drop(set: string, one: Leftover): void {
    const left = this.#bySet.get(set);
    left?.delete(one);
    if (left?.size === 0) this.#bySet.delete(set);
  }
}
