/** Senders and workers that use their rights to make the server work or grow without limit. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { jobLimits } from "../../server/src/packs/jobs/job-tables.ts";
import type { JobRow } from "../../server/src/packs/jobs/job-tables.ts";
import { JobDecider } from "./job-decider.ts";

const idsOf = (count: number, start: string): readonly string[] =>
  Array.from({ length: count }, (_none, index) => `${start}${index}`);

const many = (ids: readonly string[], more: JsonObject = {}): JsonObject => ({
  jobs: ids.map((id) => ({ type: "a", id, ...more })),
});

/** A hundred jobs, and a thousand that wait for all of them. */
function sharedDependencies(): { readonly node: JobDecider; readonly first: readonly string[] } {
  const node = new JobDecider();
  const first = idsOf(100, "on");
  node.jobs("submit-many", many(first));
  const { code } = node.jobs("submit-many", many(idsOf(jobLimits.dependentsMax, "d"), { type: "b", after: first }));
  assert.equal(code, "done");
  return { node, first };
}

/** The smallest quota, which a few payloads of this size exceed. */
const quota = 1_048_576;
const payload = "x".repeat(250_000);

function smallSpace(): JobDecider {
  const node = new JobDecider();
  node.decide("configure", { settings: { state_bytes_max: quota } });
  return node;
}

function fillSpace(node: JobDecider): void {
  for (let index = 0; index < 5; index += 1) node.submit(`full${index}`, { type: "full", payload });
  assert.equal(node.submit("more").code, "space_full");
}

describe("floods of progress", () => {
  test("reports of progress beyond the pace of an attempt are not recorded, and one with a checkpoint is refused [X15]", () => {
    const node = new JobDecider();
    node.worker(2);
    node.submit("j1");
    node.submit("j2");
    const recorded = (count: number, more: JsonObject = {}): number => {
      const first = node.entries.length;
      for (let report = 0; report < count; report += 1)
        assert.equal(node.work("progress", "j1", { message: String(report), ...more }).code, "done");
      return node.entries.length - first;
    };
    assert.equal(recorded(1_000), 20);
    const refused = node.work("progress", "j1", { checkpoint: { row: 7 } });
    assert.deepEqual([refused.code, refused.data["retry_after_ms"]], ["rate_limited", 100]);
    assert.equal(node.row("j1").checkpoint, undefined);
    // Another attempt has a pace of its own.
    assert.equal(node.work("progress", "j2", { checkpoint: { row: 7 } }).code, "done");
    node.time += 100;
    assert.equal(recorded(1_000, { percent: 50 }), 1);
    node.time += 1_000;
    assert.equal(recorded(1_000), 10);
    node.time += 5_000;
    node.beat(node.row("j1").attemptRow?.worker ?? "");
    assert.equal(recorded(1_000), 20);
    node.time += 100;
    assert.equal(node.work("progress", "j1", { checkpoint: { row: 8 } }).code, "done");
    assert.deepEqual(node.row("j1").checkpoint, { row: 8 });
  });
});

describe("dependencies of many jobs", () => {
  test("a batch counts the dependents of each job once, and refuses the first beyond the maximum [X15]", () => {
    const before = process.cpuUsage();
    const { node, first } = sharedDependencies();
    const { user } = process.cpuUsage(before);
    // A count for each job of the batch would take half a minute.
    assert.ok(user < 10_000_000, `${user} µs`);
    const refused = node.jobs("submit-many", many(["e1", "e2"], { after: first.slice(0, 1) }));
    assert.deepEqual([refused.code, refused.data["index"]], ["jobs.dependents_full", 0]);
    node.submit("on-last");
    const over = many(idsOf(jobLimits.dependentsMax, "f"), { after: ["on-last"] });
    assert.equal(node.submit("f-before", { after: ["on-last"] }).code, "done");
    const last = node.jobs("submit-many", over);
    assert.deepEqual([last.code, last.data["index"]], ["jobs.dependents_full", jobLimits.dependentsMax - 1]);
  });

  test("a completion of many jobs stops after the dependents of an entry, and the next ones continue [X15]", () => {
    const { node, first } = sharedDependencies();
    const worker = node.worker(100);
    const claims = new Map(node.rows<JobRow>("jobs").map(({ id, attemptRow }) => [id, attemptRow?.claim ?? ""]));
    let open = first.map((id) => ({ id, claim: claims.get(id) ?? "" }));
    for (let commands = 0; commands < 3; commands += 1) {
      const { data } = node.jobs("complete-many", { jobs: open }, worker);
      const results = data["jobs"] as readonly { readonly state?: string }[];
      assert.ok(results.filter(({ state }) => state === "completed").length <= 2);
      open = open.filter((_job, index) => results[index]?.state === "running");
    }
    assert.deepEqual([open.length, node.row("d999").left], [94, 94]);
  });
});

describe("a full space", () => {
  test("a full space refuses a replaced payload and a checkpoint, and still takes progress [X15]", () => {
    const node = smallSpace();
    const unique = { key: "k", duplicate: "replace" };
    node.submit("small", { type: "b", unique });
    node.worker();
    node.submit("running");
    fillSpace(node);
    assert.equal(node.submit("other", { type: "b", unique, payload }).code, "space_full");
    assert.equal(node.row("small").payload, null);
    assert.equal(node.work("progress", "running", { checkpoint: "x".repeat(60_000) }).code, "space_full");
    assert.equal(node.work("progress", "running", { percent: 50 }).code, "done");
    assert.equal(node.work("complete", "running").code, "done");
  });
});

describe("names that every object inherits", () => {
  test("a class, a type and a project called constructor are counted like any other", () => {
    const node = new JobDecider();
    const settings = { types: { constructor: { class: "constructor" } }, classes: { io: 2 } };
    assert.equal(node.jobs("configure", settings).code, "done");
    node.worker(5, ["constructor"]);
    for (const id of ["j1", "j2", "j3"]) node.submit(id, { type: "constructor", project: "__proto__" });
    assert.deepEqual([node.running(), node.totals()?.classes], [["j1", "j2"], { constructor: 2 }]);
    assert.equal(node.work("complete", "j1").code, "done");
    assert.deepEqual(node.running(), ["j2", "j3"]);
  });
});
