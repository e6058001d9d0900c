/** The load of the engine's benchmark: callers that each change a small entity and wait for the answer. */
import type { Client } from "holdfast";

const type = "task";
export const entityCount = 1_000;

export interface Load {
  readonly callers: number;
  /** The time during which callers send new commands. */
  readonly durationMs: number;
  /** Every second command has its own idempotency key. */
  readonly isHalfKeyed: boolean;
}

/** About ten members of common types. */
export function firstValue(index: number): Record<string, unknown> {
  return {
    title: `Task ${index} of the plan for this week`,
    status: "open",
    priority: 2,
    owner: `agent-${index % 50}`,
    tags: ["planning", "backend"],
    estimate: { hours: 4, confidence: 0.8 },
    done: false,
    attempts: 0,
    note: "Nothing has happened yet.",
    updated: "2026-11-15T12:00:00Z",
  };
}

/**
 * The change that the command with this number makes. Each differs from the one before, so that each becomes an entry.
 */
export function mergeOf(number: number): Record<string, unknown> {
  return {
    status: number % 2 === 0 ? "running" : "waiting",
    attempts: number,
    note: `Attempt ${number} was made by worker ${number % 16}.`,
    updated: new Date(1_763_208_000_000 + number * 1_000).toISOString(),
  };
}

/**
 * Made before the clock starts, like the peer's bytes, so that only Holdfast is measured. The numbers of merges and of
 * entities have no small common multiple. So an entity never gets the same merge twice in a row.
 */
const merges = Array.from({ length: 1_024 }, (_, number) => ({ merge: mergeOf(number) }));

export function idOf(number: number): string {
  return `task-${number % entityCount}`;
}

export async function fillEntities(client: Client): Promise<void> {
  const ids = Array.from({ length: entityCount }, (_, index) => index);
  await Promise.all(ids.map((index) => client.entities.create(type, idOf(index), firstValue(index))));
}

/** Numbers commands through a whole run, so that no two rounds send the same. */
export class Callers {
  readonly #client: Client;
  #number = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Sends commands for `durationMs`. Returns their number, and the time until the last one was answered. */
  async run(load: Load): Promise<{ readonly commands: number; readonly ms: number }> {
    const before = this.#number;
    const startMs = performance.now();
    const endMs = startMs + load.durationMs;
    await Promise.all(Array.from({ length: load.callers }, () => this.#call(endMs, load.isHalfKeyed)));
    return { commands: this.#number - before, ms: performance.now() - startMs };
  }

  async #call(endMs: number, isHalfKeyed: boolean): Promise<void> {
    while (performance.now() < endMs) {
      const number = (this.#number += 1);
      const options = isHalfKeyed && number % 2 === 0 ? { key: `00000000-0000-4000-8000-${number}` } : {};
      await this.#client.entities.patch(type, idOf(number), merges[number % merges.length]!, options);
    }
  }
}
