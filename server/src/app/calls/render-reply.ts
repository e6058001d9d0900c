import { cycleText } from "@holdfast/sdk/contract";
import type { CycleLink } from "@holdfast/sdk/contract";
import type { Engine } from "../../engine/engine.ts";
import type { Reply } from "../../engine/reply.ts";
import { authorOf, subjectOf } from "../../features/entities/entity-table.ts";
import { explainConflict } from "../../features/entities/explain-conflict.ts";
import type { Versions } from "../../features/entities/version-trail.ts";
import type { Outcome } from "../../machine/entry.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { entityVersions } from "../reads/entity-versions.ts";
import { explainEndedAgent } from "./explain-ended-agent.ts";
import { replayedLockReply } from "./lock-replies.ts";

/**
 * The outcome as a caller sees it. Codes and data are recorded. Data from history is added here, after the decision:
 * the whole entity to a write, the explanation to a conflict. A replay gets the same, since both come from the history
 * up to the recorded position.
 */
export async function renderReply(engine: Engine, reply: Reply, input: JsonObject): Promise<Outcome> {
  const { outcome, attachment } = reply;
  if (outcome.kind === "done") {
    if (attachment !== undefined) return { ...outcome, data: { ...outcome.data, ...attachment } };
    if ("granted" in outcome.data) return { ...outcome, data: await replayedLockReply(engine, outcome.data) };
    return { ...outcome, data: { ...outcome.data, ...(await writtenEntity(engine, reply, outcome.data)) } };
  }
  if (outcome.code === "agent_unknown") return explainEndedAgent(engine, outcome);
  if (outcome.code === "deadlock") {
    const text = cycleText(outcome.data["cycle"] as unknown as readonly CycleLink[]);
    return { ...outcome, data: { ...outcome.data, cycle_text: text } };
  }
  if (outcome.code !== "concurrency_mismatch") return outcome;
  return { ...outcome, data: { ...outcome.data, ...(await explanation(engine, reply, outcome.data, input)) } };
}

/** The entity after the recorded write. */
async function writtenEntity(engine: Engine, reply: Reply, data: JsonObject): Promise<JsonObject> {
  const { type, id, version } = data;
  if (typeof type !== "string" || typeof id !== "string" || typeof version !== "number") return {};
  const range = { from: version, to: version, before: reply.position + 1 };
  const found = await entityVersions(engine, subjectOf(type, id), range);
  if (found.kind !== "found") return {};
  const [{ value, entry }] = found.versions;
  if (value === undefined) return { position: entry.position };
  return { value, changed_at: entry.time, changed_by: authorOf(entry), position: entry.position };
}

async function explanation(engine: Engine, reply: Reply, data: JsonObject, input: JsonObject): Promise<JsonObject> {
  const subject = subjectOf(data["type"] as string, data["id"] as string);
  const expected = data["expected_version"] as number;
  const before = reply.position;
  if (expected === 0)
    return explainExisting(engine, subject, { version: data["current_version"] as number, before }, input);
  const found = await entityVersions(engine, subject, { from: expected, to: Infinity, before });
  return found.kind === "found" ? explainConflict(found.versions, input) : unexplained(found, expected);
}

/** The caller expected no entity, so everything is new to it. */
async function explainExisting(
  engine: Engine,
  subject: string,
  conflict: ConflictPoint,
  input: JsonObject,
): Promise<JsonObject> {
  const { version, before } = conflict;
  const found = await entityVersions(engine, subject, { from: version, to: version, before });
  if (found.kind !== "found") return unexplained(found, version);
  const [current] = found.versions;
  return explainConflict([{ ...current, version: 0, value: undefined }, current], input);
}

/** The version at the decision, and the position of the conflict. */
interface ConflictPoint {
  readonly version: number;
  readonly before: number;
}

function unexplained(found: Exclude<Versions, { kind: "found" }>, version: number): JsonObject {
  const reason =
    found.kind === "erased"
      ? `entry ${String(found.by)} erased data of that time`
      : `the history has no version ${String(version)}`;
  return { changes: null, changes_reason: reason };
}
