/** Reads of the journal itself: its entries, and the audit trail with author, time and outcome. */
import Type from "typebox";
import { sentTime } from "./agents.ts";
import { limit, revision } from "./conditions.ts";
import { operation } from "./operation.ts";
import { ofWholeSpace } from "./rights.ts";
import { get } from "./routes.ts";

const closed = { additionalProperties: false } as const;
const position = Type.Integer({ minimum: 1, description: "The position of the entry." });
const time = Type.String({ description: "Time of the decision: ISO 8601, in UTC." });
const name = (description: string) => Type.String({ minLength: 1, maxLength: 255, description });
const principal = name("The authenticated principal.");
const agent = name("The registered agent that sent the command.");
const operationName = name("The operation, such as `patch-entity`.");
const trace = Type.String({ description: "The caller's span in a trace: a W3C `traceparent`." });
const erasedBy = Type.Integer({ description: "Position of the entry that erased the data of this one." });

const filters = {
  principal: Type.Optional(principal),
  agent: Type.Optional(agent),
  operation: Type.Optional(operationName),
  subject: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_200,
      description:
        "Only entries about this subject, such as `document/42`. With a slash at the end: about everything below it.",
    }),
  ),
  outcome: Type.Optional(
    Type.String({
      pattern: "^[a-z][a-z._-]{0,63}$",
      description: "`done`, `refused` for any refusal, or a problem code.",
    }),
  ),
};

const before = Type.Integer({ minimum: 1, description: "Only entries before this position." });
const after = Type.Integer({ minimum: 0, description: "Only entries after this position." });

/** An event as the entry stores it. */
const entryEvent = Type.Object(
  {
    name: Type.String({ description: "The event's published name, such as `evt.document.changed`." }),
    type: Type.String({ description: "The recorded type of the event, which selects its fold." }),
    subject: Type.String({ description: "The subject of the event." }),
    data: Type.Unknown({ description: "The data of the event. The events page lists its members." }),
  },
  closed,
);

const journalItem = Type.Object(
  {
    position,
    time,
    id: Type.String({ description: "The id of the command." }),
    rules: Type.Integer({ description: "The rules number that decided the entry." }),
    operation: operationName,
    principal,
    agent: Type.Optional(agent),
    key: Type.Optional(Type.String({ description: "The idempotency key of the request." })),
    trace: Type.Optional(trace),
    input: Type.Unknown({ description: "The decided input; null if it was erased." }),
    evidence: Type.Optional(
      Type.Unknown({ description: "A finding of the server outside the machine, such as the verdict of a check." }),
    ),
    outcome: Type.Object(
      {
        kind: Type.Enum(["done", "refusal"], { description: "Whether the command was done or refused." }),
        code: Type.Optional(Type.String({ description: "The problem code of a refusal." })),
        data: Type.Unknown({ description: "The recorded data of the outcome." }),
      },
      { ...closed, description: "The outcome of the command." },
    ),
    events: Type.Array(entryEvent, { description: "The events of the entry, in order." }),
    erased_by: Type.Optional(erasedBy),
  },
  closed,
);

const listJournal = operation({
  name: "list-journal",
  kind: "read",
  summary:
    "Lists whole entries of the journal in order. `next` is the `after` of the next page, null at the end. A page scans " +
    "a bounded number of entries. With filters it may have fewer items than requested, or none, and still have a `next`.",
  input: Type.Object(
    { after: Type.Optional(after), before: Type.Optional(before), ...filters, limit: Type.Optional(limit) },
    closed,
  ),
  output: Type.Object(
    {
      items: Type.Array(journalItem, { description: "The entries, oldest first." }),
      next: Type.Union([Type.Integer(), Type.Null()], { description: "The `after` of the next page." }),
      head: Type.Integer({ description: "The last position of the journal at the time of the read." }),
    },
    closed,
  ),
  problems: ["history_archived"],
  rights: [{ verbs: ["operate"], touches: ofWholeSpace }],
  routes: [get("/v1/journal")],
  example: { after: 0, limit: 50 },
});

const entityChange = Type.Object(
  {
    subject: Type.String({ description: "The entity, as `type/id`." }),
    version: Type.Integer({ description: "The version after the change." }),
    prior_revision: Type.Union([revision, Type.Null()], {
      description: "The revision before the change; null if the entity did not exist.",
    }),
    revision,
  },
  closed,
);

const auditRecord = Type.Object(
  { event: Type.String({ description: "The name of the record. The data of the event is next to it." }) },
  { additionalProperties: true },
);

const auditItem = Type.Object(
  {
    position,
    time,
    by: Type.Object({ principal, agent: Type.Optional(agent) }, { ...closed, description: "The author." }),
    operation: operationName,
    outcome: Type.String({ description: "`done`, or the problem code of the refusal." }),
    subjects: Type.Array(Type.String(), { description: "The subjects of the entry, without repeats." }),
    events: Type.Array(Type.String(), { description: "The published names of the events, without repeats." }),
    changes: Type.Array(entityChange, { description: "The entities that the entry changed." }),
    records: Type.Optional(
      Type.Array(auditRecord, {
        description: "The records of packs in the entry: each event with a name in the audit trail.",
      }),
    ),
    reason: Type.Union([Type.String(), Type.Null()], { description: "The caller's reason, if one was sent." }),
    trace: Type.Union([trace, Type.Null()], { description: "The caller's `traceparent`, if one was sent." }),
    erased_by: Type.Optional(erasedBy),
  },
  closed,
);

const listAudit = operation({
  name: "list-audit",
  kind: "read",
  summary:
    "Lists the audit trail, newest first: every change, every version conflict, every deadlock, and " +
    "every recorded refusal. Heartbeats and recorded hashes are left out unless `operation` names them. " +
    "`next` is the `before` of the next page, null at the end. A page scans a bounded number of entries. With " +
    "filters it may have fewer items than requested, or none, and still have a `next`.",
  input: Type.Object(
    {
      after: Type.Optional(after),
      before: Type.Optional(before),
      from_time: Type.Optional(
        Type.String({ ...sentTime, description: "Only entries at or after this time: ISO 8601, in UTC." }),
      ),
      to_time: Type.Optional(
        Type.String({ ...sentTime, description: "Only entries before this time: ISO 8601, in UTC." }),
      ),
      ...filters,
      limit: Type.Optional(limit),
    },
    closed,
  ),
  output: Type.Object(
    {
      items: Type.Array(auditItem, { description: "The entries, newest first." }),
      next: Type.Union([Type.Integer(), Type.Null()], { description: "The `before` of the next page." }),
    },
    closed,
  ),
  problems: ["history_archived"],
  rights: [
    {
      verbs: ["read"],
      touches: ofWholeSpace,
      instead: "list-history and list-lock-history show the history of an entity or path that you may read",
    },
  ],
  routes: [get("/v1/audit")],
  example: { subject: "plan/42", limit: 20 },
});

export const auditOperations = { "list-journal": listJournal, "list-audit": listAudit } as const;
