/**
 * Every event of the journal is published to the mesh once, in order. History that a restore took away stays in the stream,
 * because a published event cannot be taken back. The new history follows in a higher epoch, which its first event announces. So a
 * reader of the stream knows the valid history, which must be the journal.
 */
import assert from "node:assert/strict";
import { publishedName } from "@holdfast/sdk/contract";
import type { Entry } from "../../../server/src/machine/entry.ts";

/** An event with its place in the journal. */
export interface PublishedEvent {
  readonly epoch: number;
  readonly position: number;
  /** Which event of its entry. */
  readonly index: number;
  readonly name: string;
}

/** The valid history as a reader of the stream knows it. */
export class PublishedHistory {
  readonly #events: PublishedEvent[] = [];
  #returnCount = 0;

  get events(): readonly PublishedEvent[] {
    return this.#events;
  }

  /** How often history went back. */
  get returnCount(): number {
    return this.#returnCount;
  }

  add(event: PublishedEvent): void {
    const last = this.#events.at(-1);
    if (last !== undefined && event.epoch > last.epoch && event.position <= last.position) this.#goBack(event);
    const before = this.#events.at(-1);
    if (before !== undefined) {
      assert.ok(
        isAfter(event, before),
        `${textOf(event)} was published after ${textOf(before)}: twice, or out of order`,
      );
    }
    this.#events.push(event);
  }

  #goBack(event: PublishedEvent): void {
    assert.equal(event.name, "evt.space.epoch_raised", `${textOf(event)} takes an event back without a new epoch`);
    this.#returnCount += 1;
    const kept = this.#events.findLastIndex(({ position }) => position < event.position) + 1;
    this.#events.length = kept;
  }
}

/** The events that the journal must publish. */
export function eventsOf(entries: readonly Entry[]): readonly PublishedEvent[] {
  let epoch = 1;
  return entries.flatMap((entry) => {
    for (const { type, data } of entry.events) if (type === "space.epoch_raised") epoch = Number(data["epoch"]);
    const names = [...entry.events.map(publishedName), ...answerOfLock(entry)];
    return names.map((name, index) => ({ epoch, position: entry.position, index, name }));
  });
}

/** An acquire in the name of an owner is answered on the mesh, even if nothing changed. */
function answerOfLock({ operation, outcome, events, input }: Entry): readonly string[] {
  if (outcome.kind === "refusal") return outcome.code === "lock_denied" ? ["evt.lock.denied"] : [];
  const { owner_id: owner } = (input ?? {}) as { readonly owner_id?: string };
  if (operation !== "acquire-lock" || owner === undefined || outcome.data["granted"] !== true) return [];
  return events.some(({ type }) => type === "lock.acquired" || type === "lock.upgraded") ? [] : ["evt.lock.acquired"];
}

/** The journal may be ahead or behind by what was written since; up to its last event both must be the same. */
export function checkPublished(published: readonly PublishedEvent[], events: readonly PublishedEvent[]): void {
  for (const [index, event] of events.entries()) {
    const found = published[index];
    assert.deepEqual(
      found,
      event,
      `published: ${found === undefined ? "nothing" : textOf(found)}, journal: ${textOf(event)}`,
    );
  }
}

function isAfter(event: PublishedEvent, other: PublishedEvent): boolean {
  if (event.epoch < other.epoch) return false;
  return event.position === other.position ? event.index > other.index : event.position > other.position;
}

function textOf({ epoch, position, index, name }: PublishedEvent): string {
  return `${name} at ${String(epoch)}.${String(position)}.${String(index)}`;
}
