/** What a door adds to answers about locks: how a path was left before, and what has become of a recorded grant. */
import type { Engine } from "../../engine/engine.ts";
import type { Reply } from "../../engine/reply.ts";
import { findGrantOfTicket, placeView } from "../../features/locks/claim-lock.ts";
import type { Link } from "../../features/locks/find-deadlock.ts";
import { grantView } from "../../features/locks/free-grant.ts";
import { findGrant } from "../../features/locks/guard-write.ts";
import { lockSubject } from "../../features/locks/lock-events.ts";
import { leftBefore } from "../../features/locks/lock-history.ts";
import { ticketTable } from "../../features/locks/lock-tables.ts";
import type { JsonObject } from "../../machine/json.ts";

/** How many paths of a set are looked up. */
const pathsMax = 20;
const entriesMax = 5;

/** How each path of a grant was left by whoever had it before. */
export async function howLeft(
  engine: Engine,
  paths: readonly string[],
  before: number,
): Promise<readonly JsonObject[]> {
  const left: JsonObject[] = [];
  for (const path of paths.slice(0, pathsMax)) {
    const query = { subject: lockSubject(path), before, order: "newest-first", limit: entriesMax } as const;
    const found = leftBefore(path, await engine.entriesAbout(query), before);
    if (found !== undefined) left.push(found);
  }
  return left;
}

/** The recorded answer to an acquire, given again: whether the grant still lives, or where the ticket is by now. */
export async function replayedLock(engine: Engine, reply: Reply, data: JsonObject): Promise<JsonObject> {
  const { granted, fence, ticket } = data;
  if (granted === true && typeof fence === "string") {
    const row = await engine.read((state) => findGrant(state, fence));
    if (row === undefined) return { ...recordedGrant(reply), still_held: false };
    return { ...(await engine.read((state) => grantView({ state }, row))), still_held: true };
  }
  if (typeof ticket !== "string") return {};
  return engine.scan((state) => {
    const row = state.rows(ticketTable).get(ticket);
    if (row !== undefined) return { ...placeView(state, row), still_waiting: true };
    const grant = findGrantOfTicket(state, ticket);
    if (grant === undefined) return { still_waiting: false, still_held: false };
    return { ...grantView({ state }, grant), granted: true, still_waiting: false, still_held: true };
  });
}

function recordedGrant(reply: Reply): JsonObject {
  const event = reply.events.find(({ type, data }) => type === "lock.acquired" && data["of"] === undefined);
  if (event === undefined) return {};
  const { resource_id: path = "", mode = "", scope = "", owner_id = "", paths, ttl_ms: ttlMs } = event.data;
  return {
    owner_id,
    paths: paths ?? [{ path, mode, scope }],
    ...(typeof ttlMs === "number" ? { ttl_seconds: ttlMs / 1000 } : {}),
  };
}

/** A cycle in words. */
export function cycleText(cycle: readonly JsonObject[]): string {
  return (cycle as unknown as readonly Link[])
    .map(({ owner_id: who, waits_for: wanted, path, blocked_by: other, as }) => {
      const does = as === "holder" ? "holds" : "waits for";
      return `${who} waits for ${wanted}, because ${other} ${does} ${path}`;
    })
    .join("; ");
}
