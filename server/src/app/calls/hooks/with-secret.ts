import { defined } from "@holdfast/sdk/base/defined";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { digestOf, newSecret } from "../../../base/new-secret.ts";
import type { Ids } from "../../../base/ids.ts";
import type { OperationHooks, Prepared } from "../app-operation.ts";

/**
 * Makes the secret of a token. Only its hash is recorded. The secret itself is in the reply, once. The idempotency key
 * becomes the own key of the token or of the rotation: a repeat finds the same one and gets a new secret.
 */
export const withTokenSecret: OperationHooks = {
  prepare: [
    { at: "now", isNeeded: () => true, run: (input, { key, services }) => withSecret(services.ids, key, input) },
  ],
  finish: (outcome, { memo }) =>
    outcome.kind === "refusal" ? outcome : { ...outcome, data: { ...outcome.data, secret: memo as string } },
};

/**
 * Makes the secret of an agent. Where secrets are required, an agent that resumes its registration has proven its own
 * secret and keeps it.
 */
export const withAgentSecret: OperationHooks = {
  prepare: [
    {
      at: "now",
      isNeeded: () => true,
      run(input, { key, services, requiresAgentSecret }) {
        const given = requiresAgentSecret ? { ...input, secret_required: true } : input;
        return withSecret(services.ids, key, given);
      },
    },
  ],
  finish(outcome, { memo, requiresAgentSecret, agentSecret }) {
    if (outcome.kind === "refusal") return outcome;
    const isKept = requiresAgentSecret && outcome.data["resumed"] === true;
    const secret = isKept ? (agentSecret ?? "") : (memo as string);
    return { ...outcome, data: { ...outcome.data, secret } };
  },
};

function withSecret(ids: Ids, key: string | undefined, input: JsonObject): Prepared {
  const secret = newSecret(ids);
  const prepared = { ...defined({ own_key: key }), ...input, secret_hash: digestOf(secret) };
  return { input: prepared, memo: secret, dropsKey: true };
}
