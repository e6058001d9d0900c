/**
 * Every event of the journal is told to the mesh once, in order. History that a restore took away stays in the stream, for
 * nobody can take back what was told; what happened instead follows it in a higher epoch, and says so first. So a reader of
 * the stream knows what holds, and that must be the journal.
 */
import assert from "node:assert/strict";
import { publishedName } from "@holdfast/sdk/contract";
import type { Entry } from "../../../server/src/machine/entry.ts";

/** An event at its place. */
export interface PublishedEvent {
  readonly epoch: number;
  readonly position: number;
  /** Which event of its entry. */
  readonly index: number;
  readonly name: string;
}

/** What a reader of the stream holds for true, message by message. */
export class PublishedHistory {
  readonly #told: PublishedEvent[] = [];
  #returnCount = 0;

  get events(): readonly PublishedEvent[] {
    return this.#told;
  }

  /** How often history went back. */
  get returnCount(): number {
    return this.#returnCount;
  }

  add(one: PublishedEvent): void {
    const last = this.#told.at(-1);
    if (last !== undefined && one.epoch > last.epoch && one.position <= last.position) this.#goBack(one);
    const before = this.#told.at(-1);
    if (before !== undefined) {
      assert.ok(isAfter(one, before), `${textOf(one)} was told after ${textOf(before)}: twice, or out of order`);
    }
    this.#told.push(one);
  }

  #goBack(one: PublishedEvent): void {
    assert.equal(one.name, "evt.space.epoch_raised", `${textOf(one)} takes something back, and no new epoch was told`);
    this.#returnCount += 1;
    const kept = this.#told.findLastIndex(({ position }) => position < one.position) + 1;
    this.#told.length = kept;
  }
}

/** What the journal has to tell. */
export function eventsOf(entries: readonly Entry[]): readonly PublishedEvent[] {
  let epoch = 1;
  return entries.flatMap((entry) => {
    for (const { type, data } of entry.events) if (type === "space.epoch_raised") epoch = Number(data["epoch"]);
    const names = [...entry.events.map(publishedName), ...answerOfLock(entry)];
    return names.map((name, index) => ({ epoch, position: entry.position, index, name }));
  });
}

/** Whoever asks for a lock in the name of an owner is answered on the mesh, also where nothing changed. */
function answerOfLock({ operation, outcome, events, input }: Entry): readonly string[] {
  if (outcome.kind === "refusal") return outcome.code === "lock_denied" ? ["evt.lock.denied"] : [];
  const { owner_id: owner } = (input ?? {}) as { readonly owner_id?: string };
  if (operation !== "acquire-lock" || owner === undefined || outcome.data["granted"] !== true) return [];
  return events.some(({ type }) => type === "lock.acquired" || type === "lock.upgraded") ? [] : ["evt.lock.acquired"];
}

/** The journal may be ahead or behind by what was written since; up to its last event both must be the same. */
export function checkPublished(told: readonly PublishedEvent[], events: readonly PublishedEvent[]): void {
  for (const [index, event] of events.entries()) {
    const heard = told[index];
    assert.deepEqual(
      heard,
      event,
      `told: ${heard === undefined ? "nothing" : textOf(heard)}, journal: ${textOf(event)}`,
    );
  }
}

function isAfter(one: PublishedEvent, other: PublishedEvent): boolean {
  if (one.epoch < other.epoch) return false;
  return one.position === other.position ? one.index > other.index : one.position > other.position;
}

function textOf({ epoch, position, index, name }: PublishedEvent): string {
  return `${name} at ${String(epoch)}.${String(position)}.${String(index)}`;
}
