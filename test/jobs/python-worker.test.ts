import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { connect } from "holdfast";
import { freePort } from "../scenario/free-port.ts";
import { holdfast } from "../scenario/holdfast-command.ts";
import { startCommand } from "../scenario/program.ts";
import { execChildSync } from "../scenario/spawn-child.ts";
import { folderFor, serverFor } from "../socket/with-server.ts";

const example = join(import.meta.dirname, "../../examples/python/job_worker.py");

/** The interpreter itself: `python3` may be a script that starts it, and a signal would end only the script. */
const python = execChildSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" }).trim();

test("a Python worker takes jobs over HTTP, reports progress, completes, fails and returns them [X8]", async (t) => {
  const { url } = await serverFor(t);
  await using client = await connect(url);
  const worker = startCommand(python, [example, url]);
  t.after(() => worker.signal("SIGKILL"));
  await worker.line(/^working$/u);
  const { id } = await client.jobs.submit("python.count", { to: 3 }, { id: "good" });
  const done = await client.jobs.wait(id);
  assert.deepEqual([done.state, done.result], ["completed", { counted: 3 }]);
  await client.jobs.submit("python.count", { to: -1 }, { id: "bad" });
  const failed = await client.jobs.wait("bad");
  assert.deepEqual(
    [failed.state, failed.error],
    ["failed", { code: "ValueError", message: "cannot count to a negative number" }],
  );
  await client.jobs.submit("python.count", { to: 1_000, pause: 0.05 }, { id: "cancelled" });
  await worker.line(/^cancelled started/u);
  await client.jobs.cancel({ id: "cancelled" });
  assert.equal((await client.jobs.wait("cancelled")).state, "cancelled");

  await client.jobs.submit("python.count", { to: 1_000, pause: 0.05 }, { id: "returned" });
  await worker.line(/^returned started/u);
  worker.signal("SIGTERM");
  assert.match((await worker.ended).lines.at(-1) ?? "", /^returned ready$/u);
  const { state, attempt } = await client.jobs.get("returned");
  assert.deepEqual([state, attempt], ["ready", 0]);
});

const runOmitted = `
import sys
sys.path.insert(0, sys.argv[1])
import job_worker
holdfast = job_worker.Holdfast(sys.argv[2])
holdfast.register("python-worker", "runs large jobs")
job_worker.count = lambda job, report: {"characters": len(job["payload"])}
taken, _ = holdfast.call("POST", "/v1/workers/me/take", {"types": ["python.count"], "count": 10})
*jobs, late = taken["next"]
holdfast.call("POST", "/v1/jobs/late/complete", {"claim": late["claim"], "result": "elsewhere"})
for job in [*jobs, late]:
    job_worker.run(holdfast, job)
`;

test("a Python worker reads omitted payloads, and runs no job that ended before it read the payload [X3 X8]", async (t) => {
  const { url } = await serverFor(t);
  await using client = await connect(url);
  const ids = ["j1", "j2", "j3", "j4", "j5", "j6", "late"];
  for (const id of ids) await client.jobs.submit("python.count", "x".repeat(200_000), { id });
  const worker = startCommand(python, ["-c", runOmitted, dirname(example), url]);
  t.after(() => worker.signal("SIGKILL"));
  assert.match((await worker.ended).lines.at(-1) ?? "", /^late belongs to another attempt$/u);
  const ends = await Promise.all(ids.map((id) => client.jobs.wait(id)));
  const results = ids.map((id) => (id === "late" ? "elsewhere" : { characters: 200_000 }));
  assert.deepEqual(
    ends.map(({ result }) => result),
    results,
  );
});

test("a killed Python worker leaves its job to its lease, and another agent cannot use its claim [X3]", async (t) => {
  const { url } = await serverFor(t);
  await using client = await connect(url);
  await client.jobs.submit("python.count", { to: 1_000, pause: 0.05 }, { id: "j1" });
  const worker = startCommand(python, [example, url]);
  t.after(() => worker.signal("SIGKILL"));
  await worker.line(/^j1 started/u);
  worker.signal("SIGKILL");
  await worker.ended;
  const { state, claim = "" } = await client.jobs.get("j1");
  assert.equal(state, "running");
  const thief = client.as(await client.agents.register({ name: "thief" }));
  for (const operation of ["complete", "progress", "release"] as const)
    await assert.rejects(thief.operations.jobs[operation]({ id: "j1", claim }), { code: "jobs.claim_stale" });
  await assert.rejects(thief.operations.jobs.fail({ id: "j1", claim, error: { message: "x" } }), {
    code: "jobs.claim_stale",
  });
});

test("a Python worker ends its job and takes the next one after kill -9 of the server [X3 X8]", async (t) => {
  const folder = await folderFor(t);
  const port = String(await freePort());
  const up = async () => {
    const server = holdfast(folder, ["up", "--json", "--data", join(folder, ".holdfast"), "--port", port]);
    t.after(() => server.signal("SIGKILL"));
    await server.line(/"event":"up"/u);
    return server;
  };
  const first = await up();
  const url = `http://127.0.0.1:${port}`;
  await using client = await connect(url);
  const worker = startCommand(python, [example, url]);
  t.after(() => worker.signal("SIGKILL"));
  await worker.line(/^working$/u);
  await client.jobs.submit("python.count", { to: 10, pause: 0.05 }, { id: "j1" });
  await worker.line(/^j1 started/u);
  first.signal("SIGKILL");
  await first.ended;
  // The worker tries to end its job while no server answers.
  await worker.errorLine(/^the server does not answer/u);
  await up();
  await client.jobs.submit("python.count", { to: 1 }, { id: "j2" });
  const ends = await Promise.all(["j1", "j2"].map((id) => client.jobs.wait(id)));
  assert.deepEqual(
    ends.map(({ state, attempt }) => [state, attempt]),
    [
      ["completed", 1],
      ["completed", 1],
    ],
  );
});
