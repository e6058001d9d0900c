import type { CallReply } from "@holdfast/sdk";
import type { JsonObject } from "@holdfast/sdk/json/json";

/** The operator's token of this node, if it is in the data folder. */
export interface OperatorTokenRotation {
  /** Writes a new token beside the old one, which stays valid. */
  prepare(): Promise<PreparedToken>;
}

export interface PreparedToken {
  readonly file: string;
  /** Replaces the old token, which is invalid from then on. */
  apply(): Promise<void>;
  discard(): Promise<void>;
}

/**
 * Rotates the operator's token. The entry comes first, so that no rotation is missing in the audit trail. A replayed
 * request rotates nothing.
 */
export async function rotateOperatorToken(
  rotation: OperatorTokenRotation,
  record: () => Promise<CallReply>,
): Promise<CallReply> {
  const prepared = await rotation.prepare();
  const reply = await record();
  if (reply.outcome.kind === "refusal" || reply.replayed) await prepared.discard();
  else await prepared.apply();
  if (reply.outcome.kind === "refusal") return reply;
  const data = { ...(reply.outcome.data as JsonObject), file: prepared.file };
  return { ...reply, outcome: { ...reply.outcome, data } };
}
