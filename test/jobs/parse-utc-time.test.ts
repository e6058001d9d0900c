import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseUtcTime } from "../../server/src/packs/jobs/parse-utc-time.ts";

test("the time of a job is read as the platform reads it, with every fraction of a second", () => {
  const date = fc.date({ min: new Date("1970-01-01"), max: new Date("9999-12-31"), noInvalidDate: true });
  fc.assert(
    fc.property(date, (time) => parseUtcTime(time.toISOString()) === time.getTime()),
    { numRuns: 500 },
  );
  for (const text of ["2026-02-28T23:59:59Z", "2028-02-29T00:00:00.5Z", "2100-03-01T12:00:00.25Z"])
    assert.equal(parseUtcTime(text), Date.parse(text));
});
