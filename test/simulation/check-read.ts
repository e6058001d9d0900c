/** Reads show durable state, and one node never shows less than before. */
import type { CallReply } from "@holdfast/sdk";
import type { Json, JsonObject } from "../../sdk/src/json/json.ts";
import type { Attempt } from "./attempt.ts";
import { valueText } from "./history.ts";
import type { World } from "./world.ts";

interface Shown {
  readonly type: string;
  readonly id: string;
  readonly version: number;
  readonly revision: string;
  readonly value: Json;
  readonly position: number;
}

/** The node cannot know the latest state, or it stops. */
const showingNothing: ReadonlySet<string> = new Set(["journal_unavailable", "stopping"]);

/** Checks a read, and returns the minimum positions of later reads on this node. */
export function checkRead(world: World, attempt: Attempt, reply: CallReply): ReadonlyMap<string, number> {
  const seen = new Map<string, number>();
  // The journal was rolled back during the read, so the history that was read is unknown.
  if (attempt.losses !== world.losses) return seen;
  const { operation, input } = attempt.intent.request;
  const { outcome } = reply;
  world.faults.count(`read: ${outcome.kind === "done" ? operation : outcome.code}`);
  const subject = `${String(input["type"])}/${String(input["id"])}`;
  if (outcome.kind === "refusal") {
    if (showingNothing.has(outcome.code)) return seen;
    const position = deletedAt(world, subject, outcome);
    const isLatest = operation === "get-entity" && input["version"] === undefined;
    if (isLatest) demandFloor(world, attempt, { subject, position });
    return isLatest && position > 0 ? seen.set(subject, position) : seen;
  }
  const data = outcome.data as JsonObject;
  if (operation === "list-history") {
    checkHistory(world, subject, data["items"] as unknown as readonly HistoryItem[]);
    return seen;
  }
  const isList = operation === "list-entities";
  const shown = (isList ? data["items"] : [data]) as unknown as readonly Shown[];
  const isCurrent = isList || input["version"] === undefined;
  for (const entity of shown) {
    checkEntity(world, attempt, entity);
    const its = { subject: `${entity.type}/${entity.id}`, position: entity.position };
    if (isCurrent) demandFloor(world, attempt, its);
    if (isCurrent) seen.set(its.subject, its.position);
  }
  return seen;
}

function checkEntity(world: World, attempt: Attempt, entity: Shown): void {
  const subject = `${entity.type}/${entity.id}`;
  world.demand(
    world.history.hadValue(subject, entity.position, valueText(entity.value)),
    "every value that is read is durable",
    () => `${attempt.name} read ${JSON.stringify(entity)}, which no entry made`,
  );
}

function deletedAt(world: World, subject: string, outcome: { code: string; data: unknown }): number {
  if (outcome.code !== "entity_deleted") return 0;
  const { position } = outcome.data as { position: number };
  world.demand(
    world.history.hadValue(subject, position, ""),
    "every value that is read is durable",
    () => `${subject} was not deleted at position ${position}`,
  );
  return position;
}

function demandFloor(world: World, attempt: Attempt, shown: { subject: string; position: number }): void {
  const floor = attempt.floor.get(shown.subject) ?? 0;
  world.demand(
    shown.position >= floor,
    "a node never shows less than before",
    () => `${attempt.name} read ${shown.subject} of position ${shown.position} on ${attempt.owner}, after ${floor}`,
  );
}

interface HistoryItem {
  readonly position: number;
  readonly event: string;
  readonly data: Json;
}

function checkHistory(world: World, subject: string, items: readonly HistoryItem[]): void {
  let before = Infinity;
  for (const { position, data } of items) {
    const events = world.history.at(position)?.entry.events ?? [];
    const isThere = events.some(
      (event) => event.subject === subject && JSON.stringify(event.data) === JSON.stringify(data),
    );
    // A node that has not noticed a loss yet shows the history that it knows.
    world.demand(isThere || world.losses > 0, "a history is of entries", () => `${subject} at position ${position}`);
    world.demand(position <= before, "a history is newest first", () => `${subject} at position ${position}`);
    before = position;
  }
}
