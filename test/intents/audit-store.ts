import assert from "node:assert/strict";
import type { Client } from "holdfast";

type AuditRecord = Readonly<Record<string, unknown>>;

/** The audit records of a store, oldest first. */
async function auditRecords(client: Client): Promise<readonly AuditRecord[]> {
  const { items } = await client.audit.list({});
  return items.toReversed().flatMap(({ records = [] }) => records as readonly AuditRecord[]);
}

/** Changes an intent, and asserts that the store of the client has every audit event in order. */
export async function assertAuditStore(client: Client): Promise<void> {
  await client.intents.create({ id: "1", payload: {}, status: "processed", technicalActor: "desk" });
  const correction = { source: "pricing", reason: "the list changed", diff: { price: 7 } };
  const { correctionId } = await client.intents.reevaluate("1", correction);
  await client.intents.reevaluate("1", correction);
  await client.intents.transition("1", "completed");
  await assertAudited(client, correctionId);
}

/** Asserts that the store has the events of that intent, each once, with its actor and its data. */
export async function assertAudited(client: Client, correctionId?: string): Promise<void> {
  const [received, corrected, reevaluated, completed, ...more] = await auditRecords(client);
  assert.deepEqual(more, []);
  const desk = { intent_id: "1", actor: "desk" };
  assert.deepEqual(received, { ...desk, event: "INTENT_RECEIVED", version: 1, status: "processed" });
  const change = { ...desk, event: "STATUS_CHANGED" };
  assert.deepEqual(corrected, { ...change, version: 2, old_status: "processed", new_status: "corrected" });
  assert.deepEqual(completed, { ...change, version: 3, old_status: "corrected", new_status: "completed" });
  const { correction_id, ...rest } = reevaluated ?? {};
  const applied = { ...desk, actor: "pricing", event: "REEVALUATED", version: 2, retry_count: 0, path: "optimistic" };
  assert.deepEqual(rest, applied);
  if (correctionId !== undefined) assert.equal(correction_id, correctionId);
}
