/** The commands about jobs, as people and programs use them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "holdfast";
import { drawnLine, jobLine } from "../../server/src/doors/cli/job/job-line.ts";
import { progressLine } from "../../server/src/doors/cli/job/progress-line.ts";
import { withCliServer } from "../scenario/cli-terminal.ts";

test(
  "`jobs`, `job` and `jobs submit` show the counts, the jobs and the next step",
  withCliServer(async ({ cli, cliJson }) => {
    assert.match((await cli("jobs")).out, /^There are no jobs\.\nRunning: 0 of 1000 .*Workers: 0\.\n$/u);
    const sent = await cli(["jobs", "submit", "mail", '{"to": "ann"}', "--id", "m1", "--project", "p1"]);
    assert.equal(sent.out, "m1 is ready. Follow it: holdfast job m1 --watch\n");
    await cli("jobs submit mail --id m2 --in 1h --attempts 2 --unique daily");
    assert.match((await cli("jobs submit mail --unique daily")).out, /^m2 exists already: it is scheduled\./u);
    await cli("jobs submit tiles --id t1 --after m1 --lock project/p2/map/m --cost 3 --root disk-1");
    const summary = (await cli("jobs")).out;
    assert.match(summary, /^mail +0 +1 +1 +0 +0 +0 +(?:now|\d+ s ago)$/mu);
    assert.match(summary, /No worker offers a slot\. Start one: holdfast work mail -- COMMAND/u);

    const list = (await cli("jobs --type mail")).out;
    assert.match(list, /^m1 +mail +p1 +ready +0 of 5/mu);
    assert.match(list, /^m2 +mail +- +scheduled +0 of 2 .*in (?:59|60) min$|^m2 .* in 1 h$/mu);
    assert.match((await cli("jobs --state waiting")).out, /^t1 .*waits for 1 job$/mu);
    assert.match((await cli("jobs --project nowhere")).out, /^No job matches/u);
    const { items } = await cliJson("jobs --state ready");
    assert.deepEqual(
      (items as { readonly id: string }[]).map(({ id }) => id),
      ["m1"],
    );
    assert.match((await cli("jobs --state done")).err, /--state must be running or locking/u);

    const shown = (await cli("job m1")).out;
    assert.match(shown, /^m1 is ready \(attempt 0 of 5, priority 50, submitted .*\)\./u);
    assert.match(shown, /payload +\{"to":"ann"\}/u);
    assert.match((await cli("job t1")).out, /locks +project\/p2\/map\/m \(write\)/u);
    assert.match((await cli("job t1")).out, /root +disk-1/u);
    assert.equal((await cliJson("job t1"))["cost"], 3);
    assert.match((await cli("job nope")).err, /jobs\.unknown\): No such job \(nope\)/u);
    assert.match((await cli(["jobs", "submit", "Bad Type"])).err, /\/type has the wrong form/u);
    assert.match((await cli(["jobs", "submit", "mail", "{bad"])).err, /PAYLOAD is not JSON/u);
    assert.match((await cli("jobs retry")).err, /give either the ID of a job or --type/u);
    assert.match((await cli("jobs retry m1")).err, /has not failed \(m1; state: ready\)/u);
    assert.match((await cli("jobs workers")).out, /There are no workers/u);
  }),
);

test(
  "`jobs cancel`, `retry`, `discard`, `pause` and `resume` act on a job or on all of a type",
  withCliServer(async ({ cli, cliJson, url }) => {
    await using client = await connect(url);
    await using _worker = await client.jobs.work("bad", (job) =>
      Promise.reject(job.fatal("no paper\u001b[2J\nsecond")),
    );
    for (const id of ["b1", "b2", "b3"]) await client.jobs.submit("bad", undefined, { id });
    for (const id of ["b1", "b2", "b3"]) await client.jobs.wait(id);
    const failed = (await cli("jobs --state failed")).out;
    assert.match(failed, /^b1 +bad .*failed +1 of 5 .*no paper\\x1b\[2J$/mu);
    assert.doesNotMatch(failed, /\u001b/u);
    assert.match((await cli("job b1")).out, /error +no paper\\x1b\[2J\n +second\nRun it again/u);
    assert.match((await cli("jobs")).out, /Run them again: holdfast jobs retry --type bad/u);
    assert.equal(
      (await cli("jobs pause --type bad --reason drill")).out.includes("No more jobs of type bad start"),
      true,
    );
    assert.deepEqual(await cliJson("jobs retry --type bad"), { count: 3 });
    assert.match((await cli("jobs")).out, /^bad +0 +0 +3 +0 +0 +0 +.*\(the type is paused\)$/mu);
    assert.match((await cli("jobs pause --type bad --wait")).out, /No job of type bad runs, and none starts\./u);
    assert.match((await cli("jobs cancel b1 --reason drill")).out, /1 job cancelled/u);
    assert.match((await cli("job b1")).out, /b1 is cancelled/u);
    assert.match((await cli("jobs resume --type bad")).out, /Jobs of type bad start again/u);
    for (const id of ["b2", "b3"]) await client.jobs.wait(id);
    assert.match((await cli("jobs discard --type bad")).out, /2 jobs removed/u);
    assert.match((await cli("jobs cancel --type bad")).out, /No job matches/u);
    assert.match((await cli("jobs pause")).err, /give either --type or --project/u);
    const agent = await cli("jobs pause --type bad", { env: { HOLDFAST_URL: url }, folder: "/nowhere" });
    assert.match(agent.err, /needs the operator's token|jobs\.pause refused/u);
  }),
);

test(
  "`job --watch` and `jobs submit --wait` follow a job by its events, and their exit code says how it ended",
  withCliServer(async ({ cli, url }) => {
    await using client = await connect(url);
    const go = Promise.withResolvers<undefined>();
    await using _worker = await client.jobs.work(["ok", "bad"], async (job) => {
      if (job.type === "bad") throw job.fatal("no paper");
      job.progress(40, "level 3 of 7 \u202e");
      await go.promise;
      return { tiles: 7 };
    });
    await client.jobs.submit("ok", undefined, { id: "j1" });
    const events = client.watch({ subject: "job/j1", names: ["evt.jobs.progressed"], after: "1.0" });
    await events.next();
    const watching = cli("job j1 --watch");
    const json = cli("job j1 --watch --json");
    go.resolve(undefined);
    const { out, code } = await watching;
    assert.equal(code, 0);
    assert.match(out, /j1 is completed \(attempt 1, ended .*\)\.\n[^]*result +\{"tiles":7\}/u);
    const states = (await json).out
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { readonly state: string }).state);
    assert.equal(states.at(-1), "completed");
    const failed = await cli("jobs submit bad --wait");
    assert.equal(failed.code, 9);
    assert.match(failed.out, /is failed[^]*error +no paper/u);
    const ended = await cli("jobs --state completed");
    assert.match(ended.out, /^JOB .*\nj1 +ok +- +completed +1 +- +ended now\n$/u);
  }),
);

test("the line of a running job has a bar, and shows control characters of a worker as escapes", () => {
  const job = { id: "j1", type: "t", project: "", state: "running", attempt: 1, percent: 50.7, message: "a\u001b[2Jb" };
  const started_at = "2026-01-01T00:00:00.000Z";
  const drawn = drawnLine({ ...job, started_at }, Date.parse("2026-01-01T00:00:12.000Z"));
  assert.equal(drawn, `j1 [${"#".repeat(12)}${"-".repeat(12)}]  50 % 12 s  a\\x1b[2Jb`);
  assert.equal(
    jobLine({ ...job, worker: "w" }, (id) => id),
    "j1 running: attempt 1, 50 %, a\\x1b[2Jb, by w",
  );
  assert.equal(drawnLine({ ...job, state: "ready" }, 0), "j1 ready");
});

test("a line of progress is a percentage, a message, both, or JSON", () => {
  assert.deepEqual(progressLine("40"), { percent: 40 });
  assert.deepEqual(progressLine("40 % level 3"), { percent: 40, message: "level 3" });
  assert.deepEqual(progressLine("7.5 x"), { percent: 7.5, message: "x" });
  assert.deepEqual(progressLine("level 3 of 7"), { message: "level 3 of 7" });
  assert.deepEqual(progressLine('{"percent":1,"checkpoint":{"row":3}}'), { percent: 1, checkpoint: { row: 3 } });
  assert.deepEqual(progressLine("{odd"), { message: "{odd" });
  assert.equal(progressLine("  "), undefined);
});
