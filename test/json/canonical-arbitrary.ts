import fc from "fast-check";
import { isObject, type Json } from "../../sdk/src/json/json.ts";

const text = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 8 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", "a", "/", "~", "~1", "0", "10", "-", "constructor", "toString", '"', "\\"),
  },
);

const clean = text.map((found) => found.replaceAll("\0", "0"));
const name = clean.map((found) => (found === "__proto__" ? "proto" : found));

const number = fc
  .oneof(fc.integer(), fc.maxSafeInteger(), fc.double({ noNaN: true, min: -1e15, max: 1e15 }))
  .map((found) => (found === 0 ? 0 : found));

/** Canonical values of every kind, with few distinct names so that two of them often have some in common. */
export function canonicalJson(): fc.Arbitrary<Json> {
  return fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.constantFrom<Json>(null, true, false),
      number,
      clean,
      fc.array(tie("value"), { maxLength: 5 }),
      fc.dictionary(fc.oneof(fc.constantFrom("a", "b", "c"), name), tie("value"), {
        maxKeys: 5,
        noNullPrototype: true,
      }),
    ),
  })).value;
}

/** An equal value whose objects list their members in reverse order. */
export function shuffled(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(shuffled);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, shuffled(member)]),
  );
}

/** The value, frozen on every level. A change throws. */
export function frozen<T extends Json>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.freeze(value);
    for (const member of Object.values(value) as Json[]) frozen(member);
  }
  return value;
}
