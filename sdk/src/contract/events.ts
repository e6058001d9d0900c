import Type from "typebox";
import type { Static, TSchema } from "typebox";
import { agentEvents, lockEvents } from "./lock-events.ts";
import { version } from "./conditions.ts";
import { tokenEvents } from "./tokens.ts";

/**
 * Every event type that an entry may hold. The fold of a type never changes; a new meaning is a new type.
 * An event about an entity is published as `evt.<type of the entity>.<verb>`, any other event as
 * `evt.<feature>.<verb>`.
 */
export interface EventType {
  readonly summary: string;
  readonly data: TSchema;
}

const closed = { additionalProperties: false } as const;

export const conflictReason = "Optimistic locking failure: version mismatch";

export const events = {
  "entity.created": {
    summary: "An entity was created.",
    data: Type.Object({ version, value: Type.Unknown(), name: Type.Optional(Type.String()) }, closed),
  },
  "entity.replaced": {
    summary: "The whole value of an entity was replaced. `name` is the verb that the kind gives to this change.",
    data: Type.Object({ version, value: Type.Unknown(), name: Type.Optional(Type.String()) }, closed),
  },
  "entity.merged": {
    summary: "A merge patch (RFC 7396) was applied to an entity.",
    data: Type.Object({ version, merge: Type.Unknown() }, closed),
  },
  "entity.patched": {
    summary: "A JSON patch (RFC 6902) was applied to an entity.",
    data: Type.Object({ version, patch: Type.Unknown() }, closed),
  },
  "entity.deleted": {
    summary: "An entity was deleted.",
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
  },
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
  ...agentEvents,
  ...lockEvents,
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
  return `evt.${entityType}.${ownVerb(event.data) ?? verb}`;
}

function ownVerb(data: unknown): string | undefined {
  if (typeof data !== "object" || data === null || !("name" in data)) return undefined;
  return typeof data.name === "string" ? data.name : undefined;
}
