import { engineLimits } from "../../server/src/engine/limits.ts";
import type { SealedBatch } from "../../server/src/journal/seal.ts";
import { attemptOf } from "./attempt-of.ts";
import type { World } from "./world.ts";

const stallMs = 1_000;

/**
 * Knows, without asking the engine, since when a node could append: what happened to its journal and to its process.
 * Nothing may expire until that has lasted for the grace, and nobody's renewal may lose against a timer in its batch.
 */
export class GraceWatch {
  readonly #world: World;
  readonly #owner: string;
  #ableSinceMs: number;

  constructor(world: World, owner: string) {
    this.#world = world;
    this.#owner = owner;
    this.#ableSinceMs = world.time.nowMs;
  }

  /** From this time on, and not before, the node is able to append. */
  disturb(untilMs: number): void {
    this.#ableSinceMs = Math.max(this.#ableSinceMs, untilMs);
  }

  /** An operation without which nothing can be decided, and so nobody can renew, took this long or failed. */
  note(took: { readonly ms: number; readonly failed: boolean }): void {
    if (took.failed || took.ms > stallMs) this.disturb(this.#world.time.nowMs);
  }

  /** Called with every batch that the node has just decided. */
  check(batch: SealedBatch): void {
    const ableMs = this.#world.time.nowMs - this.#ableSinceMs;
    let lastTimer: string | undefined;
    for (const entry of batch.entries) {
      const isTimer = timerOperations.has(entry.operation);
      if (isTimer) lastTimer = entry.id;
      else if (attemptOf(entry) !== undefined) {
        this.#world.demand(
          lastTimer === undefined,
          "a renewal beats the expiry of its batch",
          () => `${this.#owner} decided ${entry.operation} after ${lastTimer ?? ""}`,
        );
      }
      for (const event of entry.events) {
        if (!endsByTime(event)) continue;
        this.#demandAble(entry, ableMs);
        this.#world.faults.count(`${event.type} ${isTimer ? "by its timer" : "by the first command that meets it"}`);
        if (event.type !== "lease.expired") continue;
        const expiresAt = event.data["expires_at"] as number;
        this.#world.demand(
          expiresAt <= entry.time,
          "nothing expires before its time",
          () => `${this.#owner}: ${expiresAt} is after ${entry.time}`,
        );
      }
    }
  }

  #demandAble(entry: SealedBatch["entries"][number], ableMs: number): void {
    this.#world.demand(
      ableMs >= engineLimits.graceMs && !entry.grace,
      "nothing expires within the grace",
      () => `${this.#owner} could append for ${ableMs} ms only when it decided ${entry.operation} ${entry.id}`,
    );
  }
}

const timerOperations = new Set([
  "expire-lease",
  "expire-lock",
  "expire-ticket",
  "expire-agent",
  "continue-handover",
  "free-ended",
]);

/** Whether something ends because its time is over. */
function endsByTime({ type, data }: SealedBatch["entries"][number]["events"][number]): boolean {
  if (type === "lease.expired") return true;
  // What an agent has ends with it, and for its end by time there is an event of its own.
  if (type === "lock.expired" || type === "lock.recovered") return data["why"] !== "agent_ended";
  return (
    (type === "lock.cancelled" && data["why"] === "expired") || (type === "agent.ended" && data["why"] === "inactive")
  );
}
