/** Lock commands that only Holdfast itself sends: expiries and continued work. */
import Type from "typebox";
import { fence, ticket } from "./grant.ts";
import { internalOperation } from "./operation.ts";

const closed = { additionalProperties: false } as const;

const expireLock = internalOperation({
  name: "expire-lock",
  summary:
    "Frees a grant whose lease or maximum hold has ended, or that was not accepted in time. A recoverable grant is freed only if its recovery conditions hold.",
  input: Type.Object({ fence }, closed),
  output: Type.Object({ released: Type.Array(Type.String()) }),
  problems: ["not_due"],
});

const expireTicket = internalOperation({
  name: "expire-ticket",
  summary: "Cancels a ticket whose lease has expired.",
  input: Type.Object({ ticket }, closed),
  output: Type.Object({}),
  problems: ["not_due"],
});

const continueHandover = internalOperation({
  name: "continue-handover",
  summary: "Continues a hand-over that has more grants than fit into one entry.",
  input: Type.Object({ blocker_id: Type.String({ maxLength: 64 }) }, closed),
  output: Type.Object({}),
  problems: ["not_due"],
});

const freeEnded = internalOperation({
  name: "free-ended",
  summary: "Continues to free the locks of an ended agent that are more than fit into one entry.",
  input: Type.Object({ owner_id: Type.String({ minLength: 1, maxLength: 128 }) }, closed),
  output: Type.Object({}),
  problems: ["not_due"],
});

export const lockInternals = {
  "expire-lock": expireLock,
  "expire-ticket": expireTicket,
  "continue-handover": continueHandover,
  "free-ended": freeEnded,
} as const;
