import Type from "typebox";
import type { Static } from "typebox";

const closed = { additionalProperties: false } as const;

/** The query of `GET /v1/events`: a filter and the cursor to continue after. */
export const watchQuery = Type.Object(
  {
    names: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
        maxItems: 100,
        description:
          "Only events with one of these names, such as `evt.lock.acquired`. Repeat the parameter or separate names by commas.",
      }),
    ),
    subject: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_200,
        description:
          "Only events about this subject, such as `plan/42`. With a slash at the end: about everything below it.",
      }),
    ),
    owner: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: "Only events that concern this owner of locks and tickets.",
      }),
    ),
    after: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: "Continue after this cursor. `Last-Event-ID`, which a browser sends by itself, takes precedence.",
      }),
    ),
  },
  closed,
);

export type WatchQuery = Static<typeof watchQuery>;
