import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { mergePatch } from "../../server/src/features/entities/json/merge-patch.ts";
import { sizeAfterMerge } from "../../server/src/features/entities/json/size-after-merge.ts";
import { sizeOf } from "../../server/src/features/entities/size.ts";
import type { Json, JsonObject } from "../../sdk/src/json/json.ts";
import { counts } from "../prove/counts.ts";

const names = fc.constantFrom("a", "b", "c", "é", 'q"');
const { value } = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Json>(null, true, 0, 17, "x", "ß\n"),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("object"),
  ),
  object: fc.dictionary(names, tie("value"), { maxKeys: 4 }),
}));
const object = fc.dictionary(names, value, { maxKeys: 4 });

test("the size after a merge patch, counted from the touched parts, equals the size of the result", () => {
  fc.assert(
    fc.property(value, object, (target, patch) => {
      assert.deepEqual(sizeAfterMerge(sizeOf(target), target, patch), sizeOf(mergePatch(target, patch)));
    }),
    { numRuns: counts.jsonRuns },
  );
});
