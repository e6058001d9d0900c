import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { JobDecider, startedIn } from "./job-decider.ts";

describe("order of starts", () => {
  test("a job with a root starts only for a worker that offers its type at this root", () => {
    const node = new JobDecider();
    node.submit("j1", { root: "disk-1" });
    const plain = node.worker(2);
    const other = node.worker(2, ["a@disk-2", "b@disk-1"]);
    assert.deepEqual(node.running(), []);
    const rooted = node.register();
    assert.deepEqual(startedIn(node.jobs("take", { types: ["a@disk-1"] }, rooted)), ["j1"]);
    assert.equal(node.row("j1").attemptRow?.worker, rooted);
    assert.deepEqual(startedIn(node.submit("j2")), ["j2"]);
    assert.equal(node.row("j2").attemptRow?.worker, plain);
    assert.deepEqual(startedIn(node.submit("j3", { root: "disk-2" })), ["j3"]);
    assert.equal(node.row("j3").attemptRow?.worker, other);
    // A pause of the type stops the jobs of all its roots.
    node.decide("jobs.pause", { type: "a" });
    assert.deepEqual(startedIn(node.submit("j4", { root: "disk-2" })), []);
    assert.deepEqual(startedIn(node.decide("jobs.resume", { type: "a" })), ["j4"]);
    const counts = node.rows<{ type: string; counts: { running: number } }>("job-types");
    assert.deepEqual(
      counts.map(({ type, counts: { running } }) => [type, running]),
      [["a", 4]],
    );
  });

  test("a job with a root returns to the queue of its root after a failure", () => {
    const node = new JobDecider();
    const rooted = node.worker(1, ["a@disk-1"]);
    node.worker(1);
    node.submit("j1", { root: "disk-1" });
    node.work("release", "j1");
    assert.deepEqual([node.stateOf("j1"), node.row("j1").attemptRow?.worker], ["running", rooted]);
    node.jobs("offer", { types: ["a@disk-1"], slots: 0 }, rooted);
    node.work("fail", "j1", { error: { message: "down" } });
    node.pass(2_000);
    assert.equal(node.stateOf("j1"), "ready");
  });

  test("a higher cap takes effect in its own entry, before another project gets a second start [W8]", () => {
    const node = new JobDecider();
    node.decide("jobs.configure", { projects: { A: { max_jobs: 1 } } });
    node.submit("A1", { project: "A" });
    node.submit("A2", { project: "A" });
    node.submit("B1", { project: "B" });
    node.submit("B2", { project: "B" });
    node.worker(2);
    assert.deepEqual(node.running(), ["A1", "B1"]);
    node.decide("jobs.configure", { projects: { A: { max_jobs: 2 } } });
    assert.deepEqual(startedIn(node.work("complete", "B1")), ["A2"]);
  });

  test("a job starts in the entry that submits it if a worker offers its type", () => {
    const node = new JobDecider();
    node.worker();
    const submitted = node.submit("j1", { payload: { n: 1 } });
    assert.deepEqual(startedIn(submitted), ["j1"]);
    assert.equal(node.stateOf("j1"), "running");
  });

  test("two projects with equal jobs are started alternately, also after a project was at its cap [W8]", () => {
    const node = new JobDecider();
    node.decide("jobs.configure", { projects: { A: { max_jobs: 1 } } });
    for (let n = 1; n <= 4; n += 1) node.submit(`A${n}`, { project: "A" });
    for (let n = 1; n <= 4; n += 1) node.submit(`B${n}`, { project: "B" });
    const worker = node.register();
    const offered = node.jobs("offer", { types: ["a"], slots: 2 }, worker);
    assert.deepEqual(startedIn(offered), ["A1", "B1"]);
    assert.deepEqual(startedIn(node.work("complete", "A1")), ["A2"]);
    assert.deepEqual(startedIn(node.work("complete", "A2")), ["B2"]);
    assert.deepEqual(startedIn(node.work("complete", "B1")), ["A3"]);
  });

  test("the project that started least recently is next of two with equal turns, also across types [W8]", () => {
    const node = new JobDecider();
    node.worker(1, ["a", "b"]);
    node.submit("Z1", { project: "Z" });
    node.submit("A1", { project: "A", type: "b" });
    assert.deepEqual(startedIn(node.work("complete", "Z1")), ["A1"]);
    node.submit("A2", { project: "A", type: "b" });
    node.submit("Z2", { project: "Z" });
    assert.deepEqual(startedIn(node.work("complete", "A1")), ["Z2"]);
  });

  test("a higher priority runs first inside its project and gives the project no more starts", () => {
    const node = new JobDecider();
    node.submit("A-low", { project: "A", priority: 1 });
    node.submit("A-high", { project: "A", priority: 90 });
    node.submit("B-low", { project: "B", priority: 1 });
    node.worker(1);
    assert.deepEqual(node.running(), ["A-high"]);
    assert.deepEqual(startedIn(node.work("complete", "A-high")), ["B-low"]);
    assert.deepEqual(startedIn(node.work("complete", "B-low")), ["A-low"]);
  });

  test("a project of weight 2 gets two starts for each start of another", () => {
    const node = new JobDecider();
    node.decide("jobs.configure", { projects: { A: { weight: 2 } } });
    for (let n = 1; n <= 6; n += 1) node.submit(`A${n}`, { project: "A" });
    for (let n = 1; n <= 6; n += 1) node.submit(`B${n}`, { project: "B" });
    node.worker(1);
    const order: string[] = [];
    for (let n = 0; n < 9; n += 1) {
      const [id = ""] = node.running();
      order.push(id.slice(0, 1));
      node.work("complete", id);
    }
    assert.equal(order.filter((project) => project === "A").length, 6);
  });

  test("a worker that was served least recently gets the next job", () => {
    const node = new JobDecider();
    const [first, second] = [node.worker(2), node.worker(2)];
    for (const id of ["j1", "j2", "j3", "j4"]) node.submit(id);
    const order = ["j1", "j2", "j3", "j4"].map((id) => node.row(id).attemptRow?.worker);
    assert.deepEqual(order, [first, second, first, second]);
  });
});

describe("caps", () => {
  test("no cap is exceeded, and a slot that becomes free is filled in the same entry [W8]", () => {
    const node = new JobDecider();
    node.decide("jobs.configure", {
      max_global_jobs: 3,
      max_jobs_per_project: 2,
      max_concurrent_map_jobs_per_project: 1,
    });
    node.worker(10);
    const map = (n: number) => ({
      project: "A",
      locks: [{ path: `project/A/map/m${n}`, mode: "write", scope: "self" }],
    });
    for (let n = 1; n <= 3; n += 1) node.submit(`map${n}`, map(n));
    for (let n = 1; n <= 3; n += 1) node.submit(`A${n}`, { project: "A" });
    for (let n = 1; n <= 3; n += 1) node.submit(`B${n}`, { project: "B" });
    assert.deepEqual(node.running(), ["A1", "B1", "map1"]);
    assert.deepEqual(startedIn(node.work("complete", "B1")), ["B2"]);
    assert.deepEqual(startedIn(node.work("complete", "map1")), ["map2"]);
  });

  test("a class has a capacity of its own, over all types of the class [W8]", () => {
    const node = new JobDecider();
    node.decide("jobs.configure", { classes: { cpu: 1 }, types: { a: { class: "cpu" }, b: { class: "cpu" } } });
    node.worker(5, ["a", "b"]);
    node.submit("j1");
    node.submit("j2", { type: "b" });
    assert.deepEqual(node.running(), ["j1"]);
    assert.deepEqual(startedIn(node.work("complete", "j1")), ["j2"]);
  });

  test("a lower cap stops no running job, and a higher one starts jobs by the next entries [W8]", () => {
    const node = new JobDecider();
    node.worker(5);
    for (let n = 1; n <= 4; n += 1) node.submit(`j${n}`, { project: "A" });
    node.decide("jobs.configure", { max_jobs_per_project: 1 });
    node.pass(0);
    assert.equal(node.running().length, 4);
    node.submit("j5", { project: "A" });
    node.work("complete", "j1");
    assert.equal(node.running().length, 3);
    node.decide("jobs.configure", { max_jobs_per_project: 9 });
    node.pass(0);
    assert.deepEqual(node.running(), ["j2", "j3", "j4", "j5"]);
  });

  test("an agent that changes caps or pauses jobs is refused, and the attempt is recorded [W8 W13]", () => {
    const node = new JobDecider();
    const agent = node.register();
    for (const [operation, input] of [
      ["jobs.configure", { max_global_jobs: 9 }],
      ["jobs.pause", { type: "a" }],
      ["jobs.resume", { type: "a" }],
    ] as const) {
      const count = node.entries.length;
      assert.equal(node.decide(operation, input, "p", agent).code, "not_allowed");
      assert.equal(node.entries.length, count + 1);
    }
  });

  test("a job with locks in a project cannot leave the caps of that project [W8 W13]", () => {
    const node = new JobDecider();
    const locks = ["project/A/map/m1"];
    assert.equal(node.submit("j1", { locks, project: "B" }).code, "jobs.project_mismatch");
    assert.equal(node.submit("j1", { locks, project: "" }).code, "jobs.project_mismatch");
    assert.equal(node.submit("j1", { locks: [...locks, "project/B"] }).code, "jobs.project_mismatch");
    assert.equal(node.submit("j1", { locks }).code, "done");
    assert.equal(node.row("j1").project, "A");
    node.submit("j2", { project: "" });
    node.worker(5);
    assert.equal(node.work("lock", "j2", { paths: ["project/A"] }).code, "jobs.project_mismatch");
  });

  test("a paused type starts nothing until it is resumed", () => {
    const node = new JobDecider();
    node.decide("jobs.pause", { type: "a" });
    node.worker(1);
    node.submit("j1");
    assert.deepEqual(node.running(), []);
    node.decide("jobs.resume", { type: "a" });
    node.pass(0);
    assert.deepEqual(node.running(), ["j1"]);
  });
});
