import Type from "typebox";
import type { Static } from "typebox";

export const allVerbs = ["read", "write", "lock", "register", "operate", "work"] as const;

const verb = Type.Enum(allVerbs, {
  description:
    "`read` entities, locks and events; `write` entities; `lock` paths; `register` agents; `operate`: operator operations; `work`: run jobs.",
});

const pathPrefix = Type.String({
  maxLength: 1024,
  pattern: "^([^/\\u0000-\\u001f\\u007f]+(/[^/\\u0000-\\u001f\\u007f]+)*)?$",
  description:
    "A path and everything below it, compared name by name: `repo/x` contains `repo/x/a` but not `repo/xy`. Empty means everything.",
});

export const allowance = Type.Object(
  { verbs: Type.Array(verb, { minItems: 1, maxItems: 6 }), under: pathPrefix },
  { additionalProperties: false },
);

export type Verb = Static<typeof verb>;
export type Allowance = Static<typeof allowance>;
