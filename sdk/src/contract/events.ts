import Type from "typebox";
import type { Static } from "typebox";
import type { EventType, RecordedEvent } from "./event-type.ts";
import { eachWith, withoutPath } from "./event-type.ts";
import { agentEvents, lockEvents, lockSettingEvents } from "./lock-events.ts";
import { version } from "./conditions.ts";
import { tokenEvents } from "./tokens.ts";

const closed = { additionalProperties: false } as const;

export const conflictReason = "Optimistic locking failure: version mismatch";

const ownVerb = Type.Optional(Type.String({ description: "The verb under which the change is published." }));

/** The events about entities of any type. The path of each is that of its entity. */
export const entityEvents = {
  "entity.created": {
    summary: "An entity was created.",
    data: Type.Object({ version, value: Type.Unknown(), name: ownVerb }, closed),
  },
  "entity.replaced": {
    summary: "The whole value of an entity was replaced.",
    data: Type.Object({ version, value: Type.Unknown(), name: ownVerb }, closed),
  },
  "entity.merged": {
    summary: "A merge patch (RFC 7396) was applied to an entity.",
    data: Type.Object({ version, merge: Type.Unknown(), name: ownVerb }, closed),
  },
  "entity.patched": {
    summary: "A JSON patch (RFC 6902) was applied to an entity.",
    data: Type.Object({ version, patch: Type.Unknown(), name: ownVerb }, closed),
  },
  "entity.deleted": {
    summary: "An entity was deleted.",
    data: Type.Object({ version }, closed),
  },
  "entity.retired": {
    summary: "An entity left the state. Its history stays, and its id is not used again.",
    data: Type.Object({ version }, closed),
  },
  "entity.conflict": {
    summary: "A command was refused because the entity had another version than the caller expected.",
    data: Type.Object(
      {
        entity_id: Type.String(),
        expected_version: version,
        current_version: version,
        reason: Type.Literal(conflictReason),
      },
      closed,
    ),
    /** The agent whose command was refused. */
    owners: ({ by }: RecordedEvent) => (by?.agent === undefined ? [] : [by.agent]),
  },
} as const satisfies Record<string, EventType>;

/** Events about the space itself. */
const spaceEvents = eachWith(
  {
    "space.configured": {
      summary: "Settings of the space were changed.",
      data: Type.Object({ settings: Type.Unknown(), reason: Type.Optional(Type.String()) }, closed),
    },
    "space.rules_raised": {
      summary: "New rules decide from the next entry on.",
      data: Type.Object({ rules: Type.Integer({ minimum: 2 }) }, closed),
    },
    "space.state_hashed": {
      summary: "The hash of the state at a position.",
      data: Type.Object({ position: Type.Integer(), hash: Type.String() }, closed),
    },
    "payload.erased": {
      summary: "The payload of the entry at a position was removed on request.",
      data: Type.Object({ position: Type.Integer(), reason: Type.String() }, closed),
    },
    "space.epoch_raised": {
      summary: "History was restored or went back. Tokens of the lost part are refused.",
      data: Type.Object(
        {
          epoch: Type.Integer({ minimum: 2 }),
          reason: Type.String(),
          tokens_revoked: Type.Optional(
            Type.Literal(true, { description: "The journal was imported. All its tokens are revoked in this entry." }),
          ),
        },
        closed,
      ),
    },
  },
  { paths: withoutPath },
);

/** Every event type of the features. Packs declare their own. */
export const events = {
  ...entityEvents,
  ...spaceEvents,
  ...agentEvents,
  ...lockEvents,
  ...lockSettingEvents,
  ...tokenEvents,
} as const satisfies Record<string, EventType>;

export type EventTypeName = keyof typeof events;
export type EventData<Name extends EventTypeName> = Static<(typeof events)[Name]["data"]>;

/** The verbs under which changes of an entity are published. */
const entityVerbs: Readonly<Record<string, string>> = {
  "entity.created": "created",
  "entity.replaced": "changed",
  "entity.merged": "changed",
  "entity.patched": "changed",
  "entity.deleted": "deleted",
  "entity.retired": "retired",
  "entity.conflict": "conflict",
};

/** The name under which an event is published: `evt.document.changed`, `evt.space.epoch_raised`. */
export function publishedName(event: {
  readonly type: string;
  readonly subject: string;
  readonly data: unknown;
}): string {
  const verb = entityVerbs[event.type];
  if (verb === undefined) return `evt.${event.type}`;
  const entityType = event.subject.slice(0, event.subject.indexOf("/"));
  return `evt.${entityType}.${verbIn(event.data) ?? verb}`;
}

function verbIn(data: unknown): string | undefined {
  if (typeof data !== "object" || data === null || !("name" in data)) return undefined;
  return typeof data.name === "string" ? data.name : undefined;
}
