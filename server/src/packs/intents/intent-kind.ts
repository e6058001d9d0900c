import Type from "typebox";
import { endedRun, intent, intentRun, intentStatuses } from "@holdfast/sdk/contract";
import { defineKind } from "../../features/entities/kind.ts";

const closed = { additionalProperties: false } as const;
const count = Type.Integer({ minimum: 0 });
const { number: _whole, ...wholeRun } = intentRun.properties;
const { number: _summary, ...summary } = endedRun.properties;

/** Every value of an intent, through every door. Only the operations of the pack write intents. */
export const intentKind = defineKind({
  type: intent.type,
  codes: "intents",
  ownedBy: "intents",
  value: Type.Object(
    {
      status: Type.Enum([...intentStatuses]),
      payload: intent.fields.payload,
      technical_actor: intent.fields.technical_actor,
      correction_count: count,
      run_count: count,
      open_run: Type.Optional(count),
      runs: Type.Record(
        Type.String(),
        Type.Union([Type.Object({ ...wholeRun, version: Type.Optional(count) }, closed), Type.Object(summary, closed)]),
      ),
    },
    closed,
  ),
});
