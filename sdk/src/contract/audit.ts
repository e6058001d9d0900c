/** What may be read of the journal itself: its entries, and who did what, when and with which outcome. */
import Type from "typebox";
import type { Static } from "typebox";
import { limit, revision } from "./conditions.ts";
import { operation } from "./operation.ts";

const closed = { additionalProperties: false } as const;
const position = Type.Integer({ minimum: 1, description: "The position of the entry." });
const time = Type.Integer({ description: "When it was decided, in milliseconds since 1970." });
const name = (description: string) => Type.String({ minLength: 1, maxLength: 255, description });
const principal = name("Who was authenticated.");
const agent = name("The registered agent that acted.");
const operationName = name("The operation, such as `patch-entity`.");
const trace = Type.String({ description: "The caller's place in a trace: a W3C `traceparent`." });
const erasedBy = Type.Integer({ description: "The entry that erased the data of this one." });

const filters = {
  principal: Type.Optional(principal),
  agent: Type.Optional(agent),
  operation: Type.Optional(operationName),
  subject: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_200,
      description:
        "Only what is about this, such as `document/42`, or, with a slash at the end, about anything below it.",
    }),
  ),
  outcome: Type.Optional(
    Type.String({
      pattern: "^[a-z][a-z._-]{0,63}$",
      description: "`done`, `refused` for any refusal, or the code of a problem.",
    }),
  ),
};

const before = Type.Integer({ minimum: 1, description: "Only entries before this position." });
const after = Type.Integer({ minimum: 0, description: "Only entries after this position." });

/** An event as an entry holds it. */
const entryEvent = Type.Object(
  {
    name: Type.String({ description: "The event's published name, such as `evt.document.changed`." }),
    type: Type.String({ description: "The type of the event, by which it is folded." }),
    subject: Type.String({ description: "What it is about." }),
    data: Type.Unknown({ description: "Its facts; the events page says which." }),
  },
  closed,
);

export const journalItem = Type.Object(
  {
    position,
    time,
    id: Type.String({ description: "The id of the command." }),
    rules: Type.Integer({ description: "The number of the rules that decided it." }),
    operation: operationName,
    principal,
    agent: Type.Optional(agent),
    key: Type.Optional(Type.String({ description: "The idempotency key that was sent with it." })),
    trace: Type.Optional(trace),
    input: Type.Unknown({ description: "The input as it was decided; null if it was erased." }),
    outcome: Type.Object(
      {
        kind: Type.Enum(["done", "refusal"], { description: "Whether it was done." }),
        code: Type.Optional(Type.String({ description: "Why not, if it was refused." })),
        data: Type.Unknown({ description: "The recorded facts of the outcome." }),
      },
      { ...closed, description: "What it came to." },
    ),
    events: Type.Array(entryEvent, { description: "What happened by it, in order." }),
    erased_by: Type.Optional(erasedBy),
  },
  closed,
);

export const listJournal = operation({
  name: "list-journal",
  kind: "read",
  summary:
    "The entries of the journal in order, whole. `next` is the `after` of the next page, null at the end. A page looks " +
    "at a bounded number of entries: with filters it may hold fewer items than asked for, or none, and still have a `next`.",
  input: Type.Object(
    { after: Type.Optional(after), before: Type.Optional(before), ...filters, limit: Type.Optional(limit) },
    closed,
  ),
  output: Type.Object(
    {
      items: Type.Array(journalItem, { description: "The entries, oldest first." }),
      next: Type.Union([Type.Integer(), Type.Null()], { description: "The `after` of the next page." }),
      head: Type.Integer({ description: "The last position there was when the page was made." }),
    },
    closed,
  ),
  problems: ["history_archived"],
});

const entityChange = Type.Object(
  {
    subject: Type.String({ description: "The entity, as `type/id`." }),
    version: Type.Integer({ description: "The version that came to be." }),
    prior_revision: Type.Union([revision, Type.Null()], {
      description: "The revision before; null if the entity did not exist.",
    }),
    revision,
  },
  closed,
);

export const auditItem = Type.Object(
  {
    position,
    time,
    by: Type.Object({ principal, agent: Type.Optional(agent) }, { ...closed, description: "Who did it." }),
    operation: operationName,
    outcome: Type.String({ description: "`done`, or the code of the problem that it was refused with." }),
    subjects: Type.Array(Type.String(), { description: "What it was about, each once." }),
    events: Type.Array(Type.String(), { description: "The published names of what happened, each once." }),
    changes: Type.Array(entityChange, { description: "The entities that it changed." }),
    reason: Type.Union([Type.String(), Type.Null()], { description: "The reason that was given, if one was." }),
    trace: Type.Union([trace, Type.Null()], { description: "The caller's `traceparent`, if one was sent." }),
    erased_by: Type.Optional(erasedBy),
  },
  closed,
);

export const listAudit = operation({
  name: "list-audit",
  kind: "read",
  summary:
    "Who did what, when, and with which outcome, newest first: every change, every version conflict, every deadlock, " +
    "every refusal that is recorded. Signs of life and recorded hashes are left out unless `operation` names them. " +
    "`next` is the `before` of the next page, null at the end. A page looks at a bounded number of entries: with " +
    "filters it may hold fewer items than asked for, or none, and still have a `next`.",
  input: Type.Object(
    {
      after: Type.Optional(after),
      before: Type.Optional(before),
      from_time: Type.Optional(
        Type.Integer({ minimum: 0, description: "Not older than this, in milliseconds since 1970." }),
      ),
      to_time: Type.Optional(Type.Integer({ minimum: 0, description: "Older than this, in milliseconds since 1970." })),
      ...filters,
      limit: Type.Optional(limit),
    },
    closed,
  ),
  output: Type.Object(
    {
      items: Type.Array(auditItem, { description: "What was done, newest first." }),
      next: Type.Union([Type.Integer(), Type.Null()], { description: "The `before` of the next page." }),
    },
    closed,
  ),
  problems: ["history_archived"],
});

export const auditOperations = { "list-journal": listJournal, "list-audit": listAudit } as const;

export type JournalItem = Static<typeof journalItem>;
export type AuditItem = Static<typeof auditItem>;
export type JournalQuery = Static<typeof listJournal.input>;
export type AuditQuery = Static<typeof listAudit.input>;
