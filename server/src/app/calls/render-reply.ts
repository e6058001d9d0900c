import type { Engine } from "../../engine/engine.ts";
import type { Reply } from "../../engine/reply.ts";
import { authorOf, subjectOf } from "../../features/entities/entity-table.ts";
import type { Outcome } from "../../machine/entry.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { EngineServices } from "../engine-services.ts";
import { entityVersions } from "../reads/entity-versions.ts";
import { explainRefusal } from "./explain-refusal.ts";
import { replayedLockReply } from "./lock-replies.ts";
import { iso } from "../../features/locks/tables/lock-events.ts";

/**
 * The outcome as a caller sees it. Codes and data are recorded. Data from history is added here, after the decision:
 * the whole entity to a write, the explanation to a refusal. A replay gets the same, since both come from the history
 * up to the recorded position.
 */
export async function renderReply(services: EngineServices, reply: Reply, input: JsonObject): Promise<Outcome> {
  const { outcome, attachment, position } = reply;
  if (outcome.kind === "refusal") return explainRefusal(outcome, { services, input, position });
  const { engine } = services;
  if (attachment !== undefined) return { ...outcome, data: { ...outcome.data, ...attachment } };
  if ("granted" in outcome.data) return { ...outcome, data: await replayedLockReply(engine, outcome.data, input) };
  return { ...outcome, data: { ...outcome.data, ...(await writtenEntity(engine, reply, outcome.data)) } };
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
  return { value, changed_at: iso(entry.time), changed_by: authorOf(entry), position: entry.position };
}
