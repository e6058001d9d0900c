import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { zoneOffsets } from "../../server/src/base/zone-offsets.ts";
import { dateOfDay } from "../../server/src/packs/jobs/date-of-day.ts";
import { lastCronTime, nextCronTime } from "../../server/src/packs/jobs/next-cron-time.ts";
import type { ZoneOffset } from "../../server/src/packs/jobs/next-cron-time.ts";
import { parseCron } from "../../server/src/packs/jobs/parse-cron.ts";
import type { CronTimes } from "../../server/src/packs/jobs/parse-cron.ts";
import { counts } from "../prove/counts.ts";
import { Random } from "../simulation/random.ts";
import { localMinutes, plainRuns } from "./plain-cron.ts";

function times(text: string): CronTimes {
  const cron = parseCron(text);
  assert.ok(!("reason" in cron), `${text} is an expression`);
  return cron;
}

function offsets(zone: string): readonly ZoneOffset[] {
  const found = zoneOffsets(zone, Date.UTC(2026, 0, 1));
  assert.ok(found !== undefined);
  return found.offsets;
}

/** The next runs of an expression, in UTC to the minute. */
function runs(text: string, zone: string, after: string, count: number): readonly string[] {
  const found: string[] = [];
  for (let time = Date.parse(after); found.length < count;) {
    const next = nextCronTime(times(text), zone === "UTC" ? [] : offsets(zone), time);
    if (next === undefined) break;
    found.push(new Date(next).toISOString().slice(0, 16));
    time = next;
  }
  return found;
}

describe("cron expressions", () => {
  test("an expression has lists, ranges, steps, names and short forms", () => {
    assert.deepEqual(times("*/20 8-10 1,15 jan-mar Mon").minutes, [0, 20, 40]);
    const { hours, days, months, weekdays } = times("0 8-10 1,15 jan-mar Mon");
    assert.deepEqual([hours, days, months, weekdays], [[8, 9, 10], [1, 15], [1, 2, 3], [1]]);
    assert.deepEqual(times("0 0 * * 5-7").weekdays, [0, 5, 6]);
    assert.deepEqual(times("@weekly"), times("0 0 * * 0"));
    assert.deepEqual(times("1-9/4 * * * *").minutes, [1, 5, 9]);
  });

  test("an expression that is not valid is refused with the reason", () => {
    for (const text of [
      "",
      "* * * *",
      "60 * * * *",
      "* 24 * * *",
      "* * 0 * *",
      "* * * 13 *",
      "* * * * 8",
      "5/2 * * * *",
    ])
      assert.ok("reason" in parseCron(text), text);
    for (const text of [
      "a * * * *",
      "3-1 * * * *",
      "*/0 * * * *",
      "1-2-3 * * * *",
      "1/2/3 * * * *",
      "@often",
      "-1 * * * *",
    ])
      assert.ok("reason" in parseCron(text), text);
    assert.equal(nextCronTime(times("0 0 30 2 *"), [], 0), undefined);
  });

  test("a run at a time that does not exist starts when the clock is set forward, once", () => {
    const found = runs("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00Z", 3);
    assert.deepEqual(found, ["2026-03-28T01:30", "2026-03-29T01:00", "2026-03-30T00:30"]);
  });

  test("a run at a time that comes twice starts the first time only", () => {
    const found = runs("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 2);
    assert.deepEqual(found, ["2026-10-25T00:30", "2026-10-26T01:30"]);
  });

  test("a schedule of every hour follows elapsed time when the clock is set", () => {
    const back = runs("30 * * * *", "Europe/Berlin", "2026-10-24T23:45:00Z", 3);
    assert.deepEqual(back, ["2026-10-25T00:30", "2026-10-25T01:30", "2026-10-25T02:30"]);
    const forward = runs("30 * * * *", "Europe/Berlin", "2026-03-29T00:00:00Z", 3);
    assert.deepEqual(forward, ["2026-03-29T00:30", "2026-03-29T01:30", "2026-03-29T02:30"]);
  });

  test("a leap day is found over the years, and the last run before a time too", () => {
    assert.deepEqual(runs("0 0 29 2 *", "UTC", "2026-01-01T00:00:00Z", 2), ["2028-02-29T00:00", "2032-02-29T00:00"]);
    assert.deepEqual(runs("0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", 1), ["2104-02-29T00:00"]);
    const [start, end] = [Date.parse("2026-01-01T00:00:30Z"), Date.parse("2026-06-30T12:00:30Z")];
    assert.equal(lastCronTime(times("0 */5 * * *"), [], { start, end }), Date.parse("2026-06-30T10:00:00Z"));
    assert.equal(lastCronTime(times("0 0 1 1 *"), [], { start, end }), undefined);
  });

  test("every day of 400 years has the date that Node computes", () => {
    for (let day = -10_000; day < 140_000; day += 7) {
      const date = new Date(day * 86_400_000);
      const { year, month, dayOfMonth, weekday } = dateOfDay(day);
      assert.deepEqual(
        [year, month, dayOfMonth, weekday],
        [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCDay()],
      );
    }
  });
});

/** Windows of days around changes of the clock: half an hour in Lord Howe, and a whole hour elsewhere. */
const windows = [
  ["Europe/Berlin", "2026-03-27"],
  ["Europe/Berlin", "2026-10-23"],
  ["America/New_York", "2026-03-06"],
  ["America/New_York", "2026-10-30"],
  ["Australia/Lord_Howe", "2026-04-03"],
  ["Australia/Lord_Howe", "2026-10-02"],
  ["America/Sao_Paulo", "2026-02-26"],
  ["Asia/Kathmandu", "2026-06-10"],
] as const;

function anyField(random: Random, least: number, most: number): string {
  const value = (): number => random.between(least, most);
  return random.pick([
    () => "*",
    () => `*/${random.between(1, 7)}`,
    () => String(value()),
    () => `${value()},${value()}`,
    () => {
      const [a, b] = [value(), value()];
      return `${Math.min(a, b)}-${Math.max(a, b)}/${random.between(1, 5)}`;
    },
  ])();
}

describe("the next time of a schedule", () => {
  test("random expressions run at the minutes that a scan of every minute finds, across changes of the clock", () => {
    for (const [index, [zone, day]] of windows.entries()) {
      const from = Date.parse(`${day}T00:00:00Z`);
      const minutes = localMinutes(zone, from - 86_400_000, from + 4 * 86_400_000);
      const known = offsets(zone);
      const random = new Random(index + 1);
      for (let number = 0; number < counts.cronExpressions / windows.length; number += 1) {
        const text = [
          anyField(random, 0, 59),
          random.pick(["*", "*/2", "1", "2", "3", "1-3", "2,14", anyField(random, 0, 23)]),
          random.pick(["*", "*", anyField(random, 1, 28).replace(/^\*.*/u, "*")]),
          "*",
          random.pick(["*", "*", anyField(random, 0, 7).replace(/^\*.*/u, "*")]),
        ].join(" ");
        const expected = plainRuns(text, minutes).filter((time) => time > from);
        const found: number[] = [];
        for (let time = from; ;) {
          const next = nextCronTime(times(text), known, time);
          if (next === undefined || next >= from + 4 * 86_400_000) break;
          found.push(next);
          time = next;
        }
        assert.deepEqual(found, expected, `${text} in ${zone} from ${day}`);
      }
    }
  });
});
