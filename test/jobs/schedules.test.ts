import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { zoneOffsets } from "../../server/src/base/zone-offsets.ts";
import type { ScheduleRow } from "../../server/src/packs/jobs/schedule-tables.ts";
import { clientNode, soon } from "../client/client-node.ts";
import { onEveryTransport } from "../client/every-transport.ts";
import { JobDecider } from "./job-decider.ts";

const minute = 60_000;
const hour = 60 * minute;

/** A machine at a time of 2026, with the offsets of Berlin. */
class ScheduleDecider extends JobDecider {
  constructor(at: string) {
    super();
    this.time = Date.parse(at);
    const berlin = zoneOffsets("Europe/Berlin", this.time);
    assert.ok(berlin !== undefined);
    this.decide("jobs.set-zone", berlin as unknown as JsonObject, "holdfast");
  }

  put(id: string, cron: string, more: JsonObject = {}) {
    return this.jobs("put-schedule", { id, cron, job: { type: "a" }, ...more });
  }

  /** Puts a schedule in a zone whose offsets the state lacks. */
  putWith(evidence: JsonObject, zone: string) {
    const input = { id: "s", cron: "@daily", time_zone: zone, job: { type: "a" } };
    return this.decide("jobs.put-schedule", input, "p", undefined, evidence);
  }

  schedule(id: string): ScheduleRow | undefined {
    return this.rows<ScheduleRow>("job-schedules").find((row) => row.id === id);
  }

  /** Advances in steps, so that each run is on time. Returns the ids of submitted jobs. */
  runs(ms: number, stepMs = minute): readonly string[] {
    const ids: string[] = [];
    for (let passed = 0; passed < ms; passed += stepMs)
      for (const { type, subject } of this.pass(stepMs)) if (type === "jobs.submitted") ids.push(subject.slice(4));
    return ids;
  }
}

describe("schedules", () => {
  test("a full space refuses a schedule in a new time zone, also in place of another one [X15]", () => {
    const node = new ScheduleDecider("2026-10-24T12:00:00Z");
    node.put("s", "@daily");
    node.decide("configure", { settings: { state_bytes_max: 1_048_576 } });
    for (let index = 0; index < 5; index += 1) node.submit(`full${index}`, { payload: "x".repeat(250_000) });
    const evidence = zoneOffsets("Asia/Tokyo", node.time) as unknown as JsonObject;
    assert.equal(node.putWith(evidence, "Asia/Tokyo").code, "space_full");
    assert.equal(node.put("s", "@hourly", { time_zone: "Europe/Berlin" }).code, "done");
  });

  test("a schedule submits its job once at each of its times, across a change of the clock", () => {
    const node = new ScheduleDecider("2026-10-24T12:00:00Z");
    const { data } = node.put("nightly", "30 2 * * *", { time_zone: "Europe/Berlin", overlap: "queue" });
    assert.deepEqual(data, { id: "nightly", created: true, next_at: "2026-10-25T00:30:00.000Z" });
    assert.deepEqual(node.runs(50 * hour, 10 * minute), ["nightly.20261025T003000Z", "nightly.20261026T013000Z"]);
    assert.equal(node.row("nightly.20261025T003000Z").type, "a");
  });

  test("a run is left out while the job of the run before has not ended, unless runs may queue", () => {
    const node = new ScheduleDecider("2026-01-01T00:00:00Z");
    node.put("skips", "* * * * *");
    node.put("queues", "* * * * *", { overlap: "queue" });
    const ids = node.runs(3 * minute);
    assert.deepEqual(
      ids.filter((id) => id.startsWith("skips")),
      ["skips.20260101T000100Z"],
    );
    assert.equal(ids.filter((id) => id.startsWith("queues")).length, 3);
    assert.equal(node.schedule("skips")?.lastSkipped, "overlap");
    node.jobs("cancel", { id: "skips.20260101T000100Z" });
    assert.equal(node.runs(minute).length, 2);
    assert.equal(node.schedule("skips")?.lastSkipped, undefined);
  });

  test("after an outage the last missed run is submitted once, or none", () => {
    const node = new ScheduleDecider("2026-01-01T00:00:00Z");
    node.put("last", "0 * * * *");
    node.put("none", "0 * * * *", { catch_up: "none" });
    const events = node.pass(30 * hour + 10 * minute);
    const submitted = events.filter(({ type }) => type === "jobs.submitted").map(({ subject }) => subject);
    assert.deepEqual(submitted, ["job/last.20260102T060000Z"]);
    assert.deepEqual([node.schedule("last")?.lastSkipped, node.schedule("none")?.lastSkipped], [undefined, "missed"]);
    const next = Date.parse("2026-01-02T07:00:00Z");
    assert.deepEqual([node.schedule("last")?.nextAt, node.schedule("none")?.nextAt], [next, next]);
    node.jobs("cancel", { id: "last.20260102T060000Z" });
    assert.equal(node.runs(hour).length, 2);
  });

  test("a run that is late by less than a minute is not missed", () => {
    const node = new ScheduleDecider("2026-01-01T00:00:00Z");
    node.put("none", "0 * * * *", { catch_up: "none" });
    assert.equal(node.pass(hour + minute).filter(({ type }) => type === "jobs.submitted").length, 1);
  });

  test("times that pass during a pause are not caught up", () => {
    const node = new ScheduleDecider("2026-01-01T00:00:00Z");
    node.put("hourly", "@hourly");
    assert.deepEqual(node.jobs("pause-schedule", { id: "hourly" }).data["next_at"], null);
    assert.deepEqual(node.pass(10 * hour + minute), []);
    assert.equal(node.jobs("resume-schedule", { id: "hourly" }).data["next_at"], "2026-01-01T11:00:00.000Z");
    assert.deepEqual(node.runs(hour), ["hourly.20260101T110000Z"]);
    assert.equal(node.jobs("resume-schedule", { id: "hourly" }).code, "done");
    node.put("hourly", "@daily", { paused: true });
    assert.equal(node.schedule("hourly")?.nextAt, undefined);
  });

  test("a replaced schedule follows its new times, and a deleted one submits nothing", () => {
    const node = new ScheduleDecider("2026-01-01T00:00:00Z");
    node.put("s", "0 * * * *");
    assert.equal(node.put("s", "30 * * * *", { job: { type: "b", payload: { n: 1 } } }).data["created"], false);
    assert.deepEqual(node.runs(hour), ["s.20260101T003000Z"]);
    assert.deepEqual(node.row("s.20260101T003000Z").payload, { n: 1 });
    assert.equal(node.jobs("delete-schedule", { id: "s" }).code, "done");
    assert.deepEqual(node.runs(2 * hour, 10 * minute), []);
    assert.equal(node.jobs("delete-schedule", { id: "s" }).code, "jobs.schedule_unknown");
    assert.equal(node.jobs("pause-schedule", { id: "s" }).code, "jobs.schedule_unknown");
  });

  test("a run that the queue refuses is left out with the reason, and the schedule continues", () => {
    const node = new ScheduleDecider("2026-01-01T00:00:00Z");
    node.decide("jobs.configure", { projects: { p: { backlog_max: 1 } } });
    const unique = { key: "k", until: "finished", duplicate: "return" };
    node.put("full", "* * * * *", { overlap: "queue", job: { type: "a", project: "p" } });
    node.put("unique", "* * * * *", { overlap: "queue", job: { type: "u", unique } });
    assert.equal(node.runs(2 * minute).length, 2);
    assert.equal(node.schedule("full")?.lastSkipped, "jobs.backlog_full");
    assert.equal(node.schedule("unique")?.lastSkipped, "duplicate");
    assert.equal(node.schedule("unique")?.lastJob, "unique.20260101T000100Z");
  });

  test("a bad expression, a foreign project and too many schedules are refused", () => {
    const node = new ScheduleDecider("2026-01-01T00:00:00Z");
    assert.equal(node.put("s", "0 0 30 2 *").code, "jobs.cron_invalid");
    assert.equal(node.put("s", "* *").data["reason"], "an expression has five fields, and this one has 2");
    const job = { type: "a", project: "q", locks: ["project/p/map/m"] };
    assert.equal(node.put("s", "@daily", { job }).code, "jobs.project_mismatch");
    for (let number = 0; number < 1_000; number += 1) assert.equal(node.put(`s${number}`, "@daily").code, "done");
    assert.equal(node.put("s", "@daily").code, "jobs.schedules_full");
    assert.equal(node.put("s1", "@hourly").code, "done");
  });

  test("newer offsets of a time zone move its schedules, and older ones change nothing", () => {
    const node = new ScheduleDecider("2026-06-01T00:00:00Z");
    node.put("noon", "0 12 * * *", { time_zone: "Europe/Berlin" });
    node.put("utc", "0 12 * * *");
    const offsets = [{ from: 0, minutes: 180 }];
    const zone = { zone: "Europe/Berlin", offsets, until: Date.UTC(2040, 0, 1) };
    assert.equal(node.decide("jobs.set-zone", { ...zone, version: "2000a" }, "holdfast").code, "not_due");
    assert.equal(node.schedule("noon")?.nextAt, Date.parse("2026-06-01T10:00:00Z"));
    assert.equal(node.decide("jobs.set-zone", { ...zone, version: "2999a" }, "holdfast").code, "done");
    assert.equal(node.schedule("noon")?.nextAt, Date.parse("2026-06-01T09:00:00Z"));
    assert.equal(node.schedule("utc")?.nextAt, Date.parse("2026-06-01T12:00:00Z"));
  });
});

describe("schedules through the client", () => {
  onEveryTransport("a schedule is put, read, listed, paused, resumed and deleted", async ({ jobs: { schedules } }) => {
    const job = { type: "report", payload: { n: 1 } };
    const made = await schedules.put("nightly", { cron: "30 2 * * *", timeZone: "Europe/Berlin", job });
    assert.deepEqual([made.created, typeof made.nextAt], [true, "string"]);
    const { cron, timeZone, overlap, catchUp, paused, job: kept } = await schedules.get("nightly");
    assert.deepEqual(
      [cron, timeZone, overlap, catchUp, paused],
      ["30 2 * * *", "Europe/Berlin", "skip", "last", false],
    );
    assert.deepEqual(kept, job);
    await assert.rejects(schedules.put("x", { cron: "@daily", timeZone: "Mars/Olympus", job }), {
      code: "jobs.time_zone_unknown",
    });
    assert.equal((await schedules.pause("nightly")).nextAt, null);
    assert.equal((await schedules.resume("nightly")).nextAt, made.nextAt);
    assert.deepEqual((await schedules.list({ type: "other" })).items, []);
    assert.equal((await schedules.list()).items.length, 1);
    await schedules.delete("nightly");
    await assert.rejects(schedules.get("nightly"), { code: "jobs.schedule_unknown" });
  });

  test("a worker runs the jobs of a schedule as time passes", async () => {
    await using node = await clientNode();
    const client = node.fresh("ann");
    const ran: string[] = [];
    await using _worker = await client.jobs.work("tick", (job) => void ran.push(job.id));
    await client.jobs.schedules.put("tick", { cron: "* * * * *", job: { type: "tick" } });
    await node.clock.pass(180_000, 1_000);
    await soon(() => ran.length === 3);
    const { lastJob } = await client.jobs.schedules.get("tick");
    assert.deepEqual([ran.at(-1), new Set(ran).size], [lastJob, 3]);
  });
});
