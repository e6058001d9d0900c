import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { sortable } from "../../server/src/features/locks/tables/lock-tables.ts";

test("the texts of numbers have eleven digits of base 36, so they are ordered as the numbers are", () => {
  const number = fc.oneof(
    fc.maxSafeNat(),
    fc.nat(100),
    fc.constantFrom(36 ** 5 - 1, 36 ** 5, 36 ** 6, 2 ** 31, 2 ** 53 - 1),
  );
  fc.assert(
    fc.property(number, number, (a, b) => {
      assert.equal(sortable(a), a.toString(36).padStart(11, "0"));
      assert.equal(sortable(a) < sortable(b), a < b);
    }),
  );
});
