/** Lock commands that only Holdfast itself sends: what time brings about, and what jobs say about their locks. */
import Type from "typebox";
import { fence, ticket } from "./lock-parts.ts";
import { operation } from "./operation.ts";

const closed = { additionalProperties: false } as const;

export const expireLock = operation({
  name: "expire-lock",
  kind: "internal",
  summary:
    "Frees a grant whose lease or longest hold is over, or that was not accepted in time. A recoverable one is freed only if it may be recovered.",
  input: Type.Object({ fence }, closed),
  output: Type.Object({ released: Type.Array(Type.String()) }),
  problems: ["not_due"],
});

export const expireTicket = operation({
  name: "expire-ticket",
  kind: "internal",
  summary: "Takes a waiter that gave no sign of life out of the queue.",
  input: Type.Object({ ticket }, closed),
  output: Type.Object({}),
  problems: ["not_due"],
});

export const continueHandover = operation({
  name: "continue-handover",
  kind: "internal",
  summary: "Goes on handing over, where more waiters could go on than fit into one entry.",
  input: Type.Object({ blocker_id: Type.String({ maxLength: 64 }) }, closed),
  output: Type.Object({}),
  problems: ["not_due"],
});

export const freeEnded = operation({
  name: "free-ended",
  kind: "internal",
  summary: "Goes on freeing what an ended agent had, where that is more than fits into one entry.",
  input: Type.Object({ owner_id: Type.String({ minLength: 1, maxLength: 128 }) }, closed),
  output: Type.Object({}),
  problems: ["not_due"],
});

export const claimForJob = operation({
  name: "claim-for-job",
  kind: "internal",
  summary: "Notes that an active job relies on a grant, or no longer does: such a grant is not recovered.",
  input: Type.Object({ fence, job: Type.Union([Type.String({ minLength: 1, maxLength: 128 }), Type.Null()]) }, closed),
  output: Type.Object({}),
  problems: ["lock_not_held"],
});

export const lockInternals = {
  "expire-lock": expireLock,
  "expire-ticket": expireTicket,
  "continue-handover": continueHandover,
  "claim-for-job": claimForJob,
  "free-ended": freeEnded,
} as const;
