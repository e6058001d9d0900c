import { refusal } from "../../../machine/refusal.ts";
import type { OperationHooks } from "../app-operation.ts";
import type { PreparedToken } from "../operator-token-rotation.ts";

/**
 * Rotates the operator's token. The entry comes before the new token is valid, so that no rotation is missing in the
 * audit trail. A replayed request rotates nothing.
 */
export const rotateOperatorToken: OperationHooks = {
  prepare: [
    {
      at: "now",
      isNeeded: () => true,
      async run(input, { operatorRotation }) {
        if (operatorRotation === undefined) return refusal("operator_token_configured");
        return { input, memo: await operatorRotation.prepare() };
      },
    },
  ],
  async finish(outcome, { memo, replayed }) {
    const prepared = memo as PreparedToken;
    if (outcome.kind === "refusal" || replayed) await prepared.discard();
    else await prepared.apply();
    return outcome.kind === "refusal" ? outcome : { ...outcome, data: { ...outcome.data, file: prepared.file } };
  },
};
