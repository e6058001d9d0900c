/** Any operation by name, as it travels: what `POST /v1/commands` takes and answers. */
import Type from "typebox";
import type { Static } from "typebox";

const closed = { additionalProperties: false } as const;

export const commandRequest = Type.Object(
  {
    operation: Type.String({ minLength: 1, maxLength: 128, description: "The name of the operation." }),
    input: Type.Optional(Type.Unknown({ description: "What the operation takes; `{}` if not given." })),
    key: Type.Optional(
      Type.String({ maxLength: 255, description: "An idempotency key, the same as the header Idempotency-Key." }),
    ),
    deadline_ms: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 600_000, description: "How long the command may wait to be decided." }),
    ),
    agent: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: "The agent that acts, the same as X-Agent-Id." }),
    ),
    agent_secret: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: "The same as X-Agent-Secret." }),
    ),
    reads: Type.Optional(
      Type.Enum(["latest", "local"], {
        description: "How far a read must look, the same as the header Holdfast-Reads; `latest` if not given.",
      }),
    ),
    retry: Type.Optional(
      Type.Enum(["deadlock", "conflict"], {
        description: "This is another attempt, after such a refusal. For figures.",
      }),
    ),
  },
  closed,
);

/** How many commands may travel together. */
export const commandsMax = 1000;

export const callReply = Type.Object({
  outcome: Type.Union([
    Type.Object({ kind: Type.Literal("done"), data: Type.Unknown() }, closed),
    Type.Object(
      { kind: Type.Literal("refusal"), code: Type.String(), data: Type.Record(Type.String(), Type.Unknown()) },
      closed,
    ),
  ]),
  position: Type.Integer({ description: "That of the entry, or of the last entry that the decision had seen." }),
  replayed: Type.Boolean({ description: "True if this is the recorded outcome of an earlier use of the same key." }),
  events: Type.Array(Type.Object({ name: Type.String(), subject: Type.String(), data: Type.Unknown() }, closed), {
    description: "What happened.",
  }),
});

export type CommandRequest = Static<typeof commandRequest>;
