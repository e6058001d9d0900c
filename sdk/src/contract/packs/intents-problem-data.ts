/** The data of the refusals of intents, by code. */
import Type from "typebox";
import type { TProperties } from "typebox";
import { holder } from "../grant.ts";

const open = { additionalProperties: true } as const;
const data = <Members extends TProperties>(members: Members) => Type.Object(members, open);
const text = Type.String();
const number = Type.Number();
const texts = Type.Array(text);
const optionalText = Type.Optional(text);
const optionalNumber = Type.Optional(number);
const run = { intent_id: text, run: number, state: text };
const need = { path: text, mode: text, scope: text };

export const intentsProblemData = {
  "intents.off": data({ toggle: text }),
  "intents.own_operations": data({ type: optionalText }),
  "intents.lock_required": data({
    missing: Type.Optional(Type.Array(data({ ...need, holders: Type.Array(holder) }))),
    acquire: Type.Optional(Type.Array(data(need))),
  }),
  "intents.lock_timeout": data({
    intent_id: optionalText,
    resource_id: optionalText,
    strategy: optionalText,
    holders: Type.Optional(Type.Array(holder)),
    queue_length: optionalNumber,
    lock_timeout_ms: optionalNumber,
    max_tries: optionalNumber,
    retry_base_ms: optionalNumber,
    retry_jitter_ms: optionalNumber,
  }),
  "intents.transition_invalid": data({
    intent_id: optionalText,
    status: optionalText,
    to: optionalText,
    allowed: Type.Optional(texts),
  }),
  "intents.status_unknown": data({ member: text, value: text, known: texts }),
  "intents.id_invalid": data({ id: text, reason: text }),
  "intents.retired": data({ intent_id: text }),
  "intents.strategy_fixed": data({ strategy: text }),
  "intents.too_many_corrections": data({ intent_id: text, limit: number }),
  "intents.run_open": data(run),
  "intents.plan_differs": data({
    intent_id: text,
    run: number,
    plan: Type.Unknown(),
    yours: Type.Unknown(),
  }),
  "intents.run_ended": data(run),
  "intents.step_out_of_order": data({
    intent_id: text,
    step: text,
    current: Type.Union([text, Type.Null()]),
  }),
};
