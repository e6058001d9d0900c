/** Random entries for property tests. */
import fc from "fast-check";
import type { Head } from "../../server/src/journal/journal.ts";
import type { Entry, Outcome } from "../../server/src/machine/entry.ts";
import type { Json, JsonObject } from "../../sdk/src/json/json.ts";

/** An entry without position and time. `pause` is the time since the entry before it. */
export type EntryDraft = Omit<Entry, "position" | "time"> & { readonly pause: number };

/** Assigns positions and times after a head. */
export function placeDrafts(drafts: readonly EntryDraft[], after: Head): readonly Entry[] {
  let { time } = after;
  return drafts.map(({ pause, ...rest }, index) => {
    time += pause;
    return { ...rest, position: after.position + 1 + index, time };
  });
}

// Entries that are read were parsed, and parsed objects have a prototype.
const plain = { noNullPrototype: true } as const;
// "binary" strings hold any code point, such as control characters, newlines, quotes, emoji and private use.
const text = fc.string({ unit: "binary", maxLength: 12 });
const name = fc.oneof(fc.constantFrom("a", "b", "lock/x", "document/42", "día\n2"), text);
const json = fc.jsonValue({ maxDepth: 3, stringUnit: "binary" }).map((value) => canonical(value) as Json);
const object: fc.Arbitrary<JsonObject> = fc.dictionary(text, json, { maxKeys: 4, noNullPrototype: true });
const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.record({ kind: fc.constant("done" as const), data: object }, plain),
  fc.record({ kind: fc.constant("refusal" as const), code: name, data: object }, plain),
);

export const arbitraryDraft: fc.Arbitrary<EntryDraft> = fc.record(
  {
    pause: fc.nat({ max: 1000 }),
    id: fc.uuid(),
    operation: name,
    principal: name,
    agent: name,
    key: name,
    input: json,
    evidence: json,
    rules: fc.nat({ max: 9 }),
    grace: fc.boolean(),
    outcome,
    events: fc.array(fc.record({ type: name, subject: name, data: object }, plain), { maxLength: 4 }),
  },
  { requiredKeys: ["pause", "id", "operation", "principal", "input", "rules", "grace", "outcome", "events"], ...plain },
);

/** Any sequence of non-empty batches. */
export const arbitraryDrafts = fc.array(fc.array(arbitraryDraft, { minLength: 1, maxLength: 6 }), { maxLength: 8 });

/** Makes a value canonical, as doors do before it becomes an entry: without -0 and without undefined. */
function canonical<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}
