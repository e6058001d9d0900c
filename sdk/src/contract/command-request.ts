/** Any operation by name on the wire: request and reply of `POST /v1/commands`. */
import Type from "typebox";
import type { Static } from "typebox";

const closed = { additionalProperties: false } as const;

export const commandRequest = Type.Object(
  {
    operation: Type.String({ minLength: 1, maxLength: 128, description: "The name of the operation." }),
    input: Type.Optional(Type.Unknown({ description: "The input of the operation; `{}` if absent." })),
    key: Type.Optional(
      Type.String({ maxLength: 255, description: "An idempotency key, the same as the header Idempotency-Key." }),
    ),
    deadline_ms: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 600_000,
        description: "Maximum time that the command may wait for its decision.",
      }),
    ),
    agent: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: "The acting agent, the same as X-Agent-Id." }),
    ),
    agent_secret: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: "The same as X-Agent-Secret." }),
    ),
    reads: Type.Optional(
      Type.Enum(["latest", "local"], {
        description: "Required freshness of a read, the same as the header Holdfast-Reads; `latest` if absent.",
      }),
    ),
    retry: Type.Optional(
      Type.Enum(["deadlock", "conflict"], {
        description: "Marks a retry after this kind of refusal. Used for metrics only.",
      }),
    ),
  },
  closed,
);

/** Maximum commands in one request. */
export const commandsMax = 1000;

export const callReply = Type.Object({
  outcome: Type.Union([
    Type.Object({ kind: Type.Literal("done"), data: Type.Unknown() }, closed),
    Type.Object(
      { kind: Type.Literal("refusal"), code: Type.String(), data: Type.Record(Type.String(), Type.Unknown()) },
      closed,
    ),
  ]),
  position: Type.Integer({ description: "Position of the entry, or of the last entry before the decision." }),
  replayed: Type.Boolean({ description: "True if this is the recorded outcome of an earlier use of the same key." }),
  events: Type.Array(Type.Object({ name: Type.String(), subject: Type.String(), data: Type.Unknown() }, closed), {
    description: "The outcome.",
  }),
});

export type CommandRequest = Static<typeof commandRequest>;
