import Type from "typebox";
import { operation } from "./operation.ts";

export const raiseEpoch = operation({
  name: "raise-epoch",
  kind: "internal",
  summary: "Starts a new epoch after history was restored or went back, unless one above `above` has begun already.",
  input: Type.Object(
    { above: Type.Integer({ minimum: 1 }), reason: Type.String({ maxLength: 1000 }) },
    { additionalProperties: false },
  ),
  output: Type.Object({ epoch: Type.Integer() }),
  problems: [],
});

export const spaceOperations = { "raise-epoch": raiseEpoch } as const;
