/** Commands of intents that only Holdfast sends. */
import Type from "typebox";
import { internalOperation } from "../../operation.ts";
import { intentId } from "./intent.ts";

const closed = { additionalProperties: false } as const;

const retire = internalOperation({
  name: "intents.retire",
  summary: "Removes intents from the state that ended long ago. Their history stays.",
  input: Type.Object({ first: intentId }, closed),
  output: Type.Object({ retired: Type.Integer({ minimum: 0 }) }, closed),
  problems: [],
});

export const intentInternals = { "intents.retire": retire } as const;
