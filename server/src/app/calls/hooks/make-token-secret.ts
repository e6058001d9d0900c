import { defined } from "@holdfast/sdk/base/defined";
import type { CallReply } from "@holdfast/sdk";
import type { DoorCallOptions } from "@holdfast/sdk/door-transport";
import type { Canonical } from "@holdfast/sdk/json/canonical";
import type { Ids } from "../../../base/ids.ts";
import { digestOf, newSecret } from "../../../base/new-secret.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { isObject } from "@holdfast/sdk/json/json";

/** Runs an operation for the caller. */
type Call = (operation: string, input: Canonical, call: DoorCallOptions) => Promise<CallReply>;

/** Operations whose reply contains a new secret of a token. */
export type SecretOperation = "create-token" | "rotate-token";

/**
 * Makes the secret of a token. Only its hash is passed on, and the secret itself is in the reply, once. The idempotency
 * key becomes the own key of the token or of the rotation: a repeat finds the same one and gets a new secret.
 */
export async function makeTokenSecret(
  operation: SecretOperation,
  ids: Ids,
  call: Call,
  { input, options }: { readonly input: Canonical; readonly options: DoorCallOptions },
): Promise<CallReply> {
  const secret = newSecret(ids);
  const { key, ...rest } = options;
  const command = isObject(input) ? { ...defined({ own_key: key }), ...input, secret_hash: digestOf(secret) } : input;
  const reply = await call(operation, command, rest);
  if (reply.outcome.kind === "refusal") return reply;
  return { ...reply, outcome: { ...reply.outcome, data: { ...(reply.outcome.data as JsonObject), secret } } };
}
