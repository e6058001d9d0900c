import { jobsInternals } from "@holdfast/sdk/contract";
import { engineLimits } from "../../server/src/engine/limits.ts";
import type { SealedBatch } from "../../server/src/journal/seal.ts";
import { attemptOf } from "./attempt-of.ts";
import type { World } from "./world.ts";

const stallMs = 1_000;

type DecidedEntry = SealedBatch["entries"][number];

/**
 * Knows since when a node is able to append, from the events of its journal and its process, without the engine.
 * Nothing may expire until the node was able to append for the grace period. No renewal may lose against a timer in its
 * batch.
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

  /** The node is able to append from this time on, and not earlier. */
  disturb(untilMs: number): void {
    this.#ableSinceMs = Math.max(this.#ableSinceMs, untilMs);
  }

  /** An operation that every decision and so every renewal depends on has this duration, or failed. */
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
        if (event.type === "lease.noted") this.#checkNote(entry, event.data);
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

  /** A timer that runs in the grace period fires in it, at its time or later, and its entry has the flag. */
  #checkNote(entry: DecidedEntry, data: DecidedEntry["events"][number]["data"]): void {
    if (entry.grace) this.#world.faults.count("lease.noted in the grace period");
    this.#world.demand(
      (data["due_at"] as number) <= entry.time && data["grace"] === entry.grace,
      "a timer that runs in the grace fires at its time",
      () => `${this.#owner}: ${JSON.stringify(data)} at ${entry.time}, grace ${String(entry.grace)}`,
    );
  }

  #demandAble(entry: DecidedEntry, ableMs: number): void {
    this.#world.demand(
      ableMs >= engineLimits.graceMs && !entry.grace,
      "nothing expires within the grace",
      () => `${this.#owner} could append for ${ableMs} ms only when it decided ${entry.operation} ${entry.id}`,
    );
  }
}

const timerOperations = new Set([
  "expire-lease",
  "note-lease",
  "expire-lock",
  "expire-ticket",
  "expire-agent",
  "continue-handover",
  "free-ended",
  ...Object.keys(jobsInternals),
]);

/** True if the event ends something because its time has passed. */
function endsByTime({ type, data }: DecidedEntry["events"][number]): boolean {
  if (type === "lease.expired" || type === "jobs.lost") return true;
  // Locks of an agent end with it, and the end of an agent by time has its own event.
  if (type === "lock.expired" || type === "lock.recovered") return data["why"] !== "agent_ended";
  return (
    (type === "lock.cancelled" && data["why"] === "expired") || (type === "agent.ended" && data["why"] === "inactive")
  );
}
