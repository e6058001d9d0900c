import Type from "typebox";
import type { Static } from "typebox";

const closed = { additionalProperties: false } as const;

/** What `GET /v1/events` takes: a filter, and where to go on from. */
export const watchQuery = Type.Object(
  {
    names: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
        maxItems: 100,
        description: "Only events with one of these names, such as `evt.lock.acquired`; repeated, or with commas.",
      }),
    ),
    subject: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_200,
        description: "Only events about this, such as `plan/42`; with a slash at the end, about anything below it.",
      }),
    ),
    owner: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: "Only what concerns this owner of locks and tickets." }),
    ),
    after: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: "Go on after this cursor. `Last-Event-ID`, which a browser sends by itself, counts more.",
      }),
    ),
  },
  closed,
);

export type WatchQuery = Static<typeof watchQuery>;
