/** The journal for publishers: entries in order, with their published events. */
import type { WatchedEvent } from "@holdfast/sdk";
import { allOperations } from "@holdfast/sdk/contract";
import type { Operation } from "@holdfast/sdk/contract";
import type { Engine } from "../../engine/engine.ts";
import { erasedPosition } from "../../features/space/erased-position.ts";
import { epochAt, erasedBy, spaceRow } from "../../features/space/space-table.ts";
import type { Entry } from "../../machine/entry.ts";
import type { StateReader } from "../../machine/state.ts";
import { cursorAt, entryEvents } from "./entry-events.ts";
import { iso } from "../../features/locks/tables/lock-events.ts";

interface FedEntry {
  readonly epoch: number;
  readonly position: number;
  readonly events: readonly WatchedEvent[];
  /** The position whose payload this entry erases, if it erases one. */
  readonly erases: number | undefined;
}

/**
 * Pages of entries after a position, then new ones as they become durable. It ends with an error if the history is
 * lost.
 */
export function entryFeed(engine: Engine, after: number): AsyncIterableIterator<readonly FedEntry[]> {
  const entries = engine.subscribe(after);
  return {
    async next() {
      const page = await entries.next();
      if (page.done === true) return page;
      const value = await engine.read((state) => page.value.map((entry) => fedEntry(state, entry)));
      return { done: false, value };
    },
    return: () => entries.return() as Promise<IteratorReturnResult<undefined>>,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/**
 * The last position that this journal shares with a history of this epoch and position; undefined for an unknown epoch.
 */
export function lastCommon(
  engine: Engine,
  { epoch, position }: { readonly epoch: number; readonly position: number },
): Promise<number | undefined> {
  return engine.read((state) => {
    const { epochs } = spaceRow(state);
    const at = epochs.findIndex((known) => known.epoch === epoch);
    if (at < 0) return undefined;
    const next = epochs[at + 1];
    return next === undefined ? position : Math.min(position, next.from - 1);
  });
}

/** Whether the payload of an entry is erased, according to all entries that are durable now. */
export async function isErased(engine: Engine, position: number): Promise<boolean> {
  await engine.catchUp();
  return engine.read((state) => erasedBy(state, position) !== undefined);
}

/** The epoch of the entry at a position. */
export function epochOf(engine: Engine, position: number): Promise<number> {
  return engine.read((state) => epochAt(state, position));
}

function fedEntry(state: StateReader, entry: Entry): FedEntry {
  const { position } = entry;
  const answer = lockAnswer(entry);
  const events = entryEvents(state, entry);
  const answers = answer === undefined ? [] : [{ ...contextOf(state, entry), ...answer }];
  return { epoch: epochAt(state, position), position, events: [...events, ...answers], erases: erasedPosition(entry) };
}

/** The operations that name the paths and the owner of the lock that they acquire. */
const namesLock: ReadonlySet<string> = new Set(
  Object.values<Operation>(allOperations).flatMap(({ name, acquires }) => (acquires === "named-modes" ? [name] : [])),
);

type PublishedEvent = Pick<WatchedEvent, "name" | "subject" | "data">;

/**
 * A durable lock request always leads to a published event. A denial and a repeated request change nothing, so their
 * entry exists only because of its key and has no event.
 */
function lockAnswer({ outcome, events, operation, input }: Entry): PublishedEvent | undefined {
  if (outcome.kind === "refusal") {
    if (outcome.code !== "lock_denied") return undefined;
    const { resource_id, requested_by, current_owner, reason } = outcome.data;
    if (typeof resource_id !== "string") return undefined;
    const data = { resource_id, requested_by, current_owner, reason };
    return { name: "evt.lock.denied", subject: `lock/${resource_id}`, data };
  }
  const { granted, fence, expires_at } = outcome.data;
  if (!namesLock.has(operation) || granted !== true) return undefined;
  if (events.some(({ type }) => type === "lock.acquired" || type === "lock.upgraded")) return undefined;
  const { paths, owner_id } = (input ?? {}) as { paths?: readonly (string | { path: string })[]; owner_id?: string };
  const [first] = paths ?? [];
  if (first === undefined || owner_id === undefined) return undefined;
  const resource_id = typeof first === "string" ? first : first.path;
  return {
    name: "evt.lock.acquired",
    subject: `lock/${resource_id}`,
    data: { resource_id, owner_id, expires_at, fence },
  };
}

function contextOf(state: StateReader, entry: Entry): Omit<WatchedEvent, keyof PublishedEvent> {
  const { position, time, operation, principal, agent } = entry;
  const by = agent === undefined ? { principal } : { principal, agent };
  return { cursor: cursorAt(state, position), position, time: iso(time), operation, by };
}
