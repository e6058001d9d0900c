/** What a door adds to answers about locks: how a path was left before, and what has become of a recorded grant. */
import type { CallReply } from "@holdfast/sdk";
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

/** A new grant tells how the lock was left before; one that its owner had already does not. */
export function tellsHowLeft(operation: string, { outcome, attachment }: Reply): boolean {
  if (operation !== "acquire-lock" && operation !== "claim-lock") return false;
  return outcome.data["granted"] === true && attachment?.["already_held"] === undefined;
}

/** Adds how each path of a grant was left by whoever had it before. What is free leaves nothing but its history. */
export async function withHowLeft(engine: Engine, reply: CallReply): Promise<CallReply> {
  const data = reply.outcome.data as { readonly paths: readonly { readonly path: string }[]; readonly fence: string };
  const before = Number(data.fence.split(".")[1]);
  const left: JsonObject[] = [];
  for (const { path } of data.paths.slice(0, pathsMax)) {
    const query = { subject: lockSubject(path), before: before + 1, order: "newest-first", limit: entriesMax } as const;
    const found = leftBefore(path, await engine.entriesAbout(query), data.fence);
    if (found !== undefined) left.push(found);
  }
  return { ...reply, outcome: { kind: "done", data: { ...data, left_before: left } } };
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
