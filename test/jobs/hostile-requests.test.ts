/** Requests that a caller with the right to send them must not get through: bad input, foreign claims and false reports. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { TestContext } from "node:test";
import { serverFor } from "../socket/with-server.ts";

type Headers = Readonly<Record<string, string>>;

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

class JobsDoor {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async send(request: string, body?: unknown, headers: Headers = {}): Promise<Answer> {
    const [method = "", path = ""] = request.split(" ");
    const content = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
    const type: Headers = body === undefined ? {} : { "content-type": "application/json" };
    const response = await fetch(`${this.#url}${path}`, { method, headers: { ...type, ...headers }, ...content });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  async worker(): Promise<Headers> {
    const { body } = await this.send("POST /v1/agents/register", { name: "w" });
    return { "x-agent-id": String(body["agent_id"]), "x-agent-secret": String(body["secret"]) };
  }

  /** Submits a job and takes it. */
  async running(id: string, headers: Headers, more: object = {}): Promise<string> {
    await this.send("POST /v1/jobs", { type: "a", id, ...more });
    const { body } = await this.send("POST /v1/workers/me/take", { types: ["a"] }, headers);
    const [job] = body["next"] as readonly { readonly claim: string }[];
    return job?.claim ?? "";
  }

  async job(id: string): Promise<Record<string, unknown>> {
    return (await this.send(`GET /v1/jobs/${id}`)).body;
  }
}

async function doorFor(t: TestContext): Promise<JobsDoor> {
  const { url } = await serverFor(t);
  return new JobsDoor(url);
}

const long = (length: number): string => "x".repeat(length);
const control = "a\u0007b";

/** Requests that are refused, by the code of the refusal. */
const refused: readonly (readonly [string, unknown, string])[] = [
  ["POST /v1/jobs", {}, "input_invalid"],
  ["POST /v1/jobs", [], "input_invalid"],
  ["POST /v1/jobs", "{", "input_malformed"],
  ["POST /v1/jobs", { type: "A" }, "input_invalid"],
  ["POST /v1/jobs", { type: control }, "input_invalid"],
  ["POST /v1/jobs", { type: "a@r" }, "input_invalid"],
  ["POST /v1/jobs", { type: "a", root: "../etc" }, "input_invalid"],
  ["POST /v1/jobs", { type: "a", root: "r@s" }, "input_invalid"],
  ["POST /v1/jobs", { type: "a", id: "../x" }, "input_invalid"],
  ["POST /v1/jobs", { type: "a", id: long(65) }, "input_invalid"],
  ["POST /v1/jobs", { type: "a", project: control }, "input_invalid"],
  ["POST /v1/jobs", { type: "a", project: "a/b" }, "input_invalid"],
  ["POST /v1/jobs", { type: "a", priority: 101 }, "input_invalid"],
  ["POST /v1/jobs", { type: "a", priority: 1.5 }, "input_invalid"],
  ["POST /v1/jobs", { type: "a", cost: 0 }, "input_invalid"],
  ["POST /v1/jobs", { type: "a", run_at: "tomorrow" }, "input_invalid"],
  ["POST /v1/jobs", { type: "a", delay_seconds: -1 }, "input_invalid"],
  ["POST /v1/jobs", { type: "a", unique: { key: control } }, "input_invalid"],
  ["POST /v1/jobs", { type: "a", after: ["gone"] }, "jobs.unknown"],
  ["POST /v1/jobs", { type: "a", locks: ["a/../b"] }, "path_invalid"],
  ["POST /v1/jobs", { type: "a", locks: Array.from({ length: 101 }, (_none, n) => `x/${n}`) }, "input_invalid"],
  ["POST /v1/jobs", { type: "a", payload: long(256 * 1024) }, "jobs.payload_too_large"],
  ["POST /v1/jobs", { type: "a", state: "running" }, "input_invalid"],
  ["POST /v1/jobs", { type: "a", locks: ["project/p"], project: "q" }, "jobs.project_mismatch"],
  ["POST /v1/jobs", { type: "a", locks: ["project/p"], project: "" }, "jobs.project_mismatch"],
  ["POST /v1/jobs/batch", { jobs: [] }, "input_invalid"],
  [
    "POST /v1/jobs/batch",
    {
      jobs: [
        { type: "a", id: "b1" },
        { type: "a", after: ["gone"] },
      ],
    },
    "jobs.unknown",
  ],
  ["POST /v1/jobs/batch", { jobs: Array.from({ length: 1_001 }, () => ({ type: "a" })) }, "input_invalid"],
  ["GET /v1/jobs/gone", undefined, "jobs.unknown"],
  ["GET /v1/jobs?state=done", undefined, "input_invalid"],
  ["GET /v1/jobs?state=ready&limit=1001", undefined, "input_invalid"],
  ["GET /v1/job-stats?after=%00", undefined, "input_malformed"],
  ["PATCH /v1/jobs/gone", { priority: 1 }, "jobs.unknown"],
  ["PATCH /v1/jobs/gone", {}, "input_invalid"],
  ["PATCH /v1/jobs/gone", { changes: { priority: 1 } }, "input_invalid"],
  ["PATCH /v1/jobs/gone", { payload: 1 }, "input_invalid"],
  ["PATCH /v1/jobs/gone", [{ op: "replace", path: "/priority", value: 1 }], "input_invalid"],
  ["POST /v1/jobs/cancel", {}, "jobs.selection_invalid"],
  ["POST /v1/jobs/cancel", { id: "x", type: "a" }, "jobs.selection_invalid"],
  ["POST /v1/jobs/retry", {}, "jobs.selection_invalid"],
  ["POST /v1/jobs/discard", { project: "p" }, "jobs.selection_invalid"],
  ["POST /v1/jobs/pause", { type: "a" }, "not_allowed"],
  ["POST /v1/jobs/configure", { max_global_jobs: 1 }, "not_allowed"],
  ["POST /v1/jobs/configure", {}, "not_allowed"],
  ["POST /v1/jobs/configure", { max_global_jobs: -1 }, "not_allowed"],
  ["POST /v1/jobs/configure", { classes: { __proto__x: 1, A: 1 } }, "not_allowed"],
  ["POST /v1/jobs/configure", { types: { a: { lock_tries: 0 } } }, "not_allowed"],
  ["PUT /v1/workers/me", { types: ["a"], slots: 1 }, "jobs.agent_required"],
  ["POST /v1/workers/me/take", { types: ["a"] }, "jobs.agent_required"],
];

/** Expressions of schedules that no timer may ever get to see. */
const hostileCrons = [
  "",
  "* * * *",
  "* * * * * *",
  "60 * * * *",
  "* 24 * * *",
  "* * 0 * *",
  "* * 32 * *",
  "* * * 13 *",
  "* * * * 8",
  "*/0 * * * *",
  "5-1 * * * *",
  "1-99999999999 * * * *",
  "-1 * * * *",
  "1e3 * * * *",
  "0x1 * * * *",
  "* * 30 feb *",
  "0 0 31 2,4 *",
  "@reboot",
  "__proto__ * * * *",
  "* * * constructor *",
  "* * * * mon\u0001",
  "１ * * * *",
  `${"0,".repeat(100)}0 * * * *`,
  `${long(300)} * * * *`,
  "*/1/1 * * * *",
  "1,,2 * * * *",
];

describe("hostile requests to the doors of jobs", () => {
  test("every bad request gets a refusal with its code, and no job or setting exists afterwards", async (t) => {
    const door = await doorFor(t);
    for (const [request, body, code] of refused) {
      const answer = await door.send(request, body);
      const shown = `${request} ${JSON.stringify({ body }).slice(0, 80)} → ${JSON.stringify(answer.body).slice(0, 300)}`;
      assert.equal(answer.body["code"], code, shown);
      assert.ok(answer.status >= 400 && answer.status < 500, shown);
    }
    const { body } = await door.send("GET /v1/job-stats");
    assert.deepEqual([body["types"], body["max_global_jobs"], body["workers"]], [[], 1_000, 0]);
  });

  test("a schedule with a hostile expression, zone or template is refused, and none exists afterwards", async (t) => {
    const door = await doorFor(t);
    const put = (schedule: object): Promise<Answer> =>
      door.send("PUT /v1/schedules/s", { cron: "0 * * * *", job: { type: "a" }, ...schedule });
    for (const cron of hostileCrons) {
      const { status, body } = await put({ cron });
      assert.equal(status, 422, `${cron}: ${JSON.stringify(body)}`);
      assert.ok(["jobs.cron_invalid", "input_invalid"].includes(String(body["code"])), cron);
    }
    for (const zone of ["", "Mars/Olympus", "../etc/passwd", "UTC\u0001", "__proto__", long(500)]) {
      const { status, body } = await put({ time_zone: zone });
      assert.equal(status, 422, `${zone}: ${JSON.stringify(body)}`);
    }
    const { body: tooLarge } = await put({ job: { type: "a", payload: long(256 * 1024) } });
    assert.equal(tooLarge["code"], "jobs.payload_too_large");
    const { body: foreign } = await put({ job: { type: "a", locks: ["project/p"], project: "q" } });
    assert.equal(foreign["code"], "jobs.project_mismatch");
    assert.deepEqual((await door.send("GET /v1/schedules")).body["items"], []);
  });

  test("a worker with the claim of another worker, an old claim or none changes nothing [W3 X3]", async (t) => {
    const door = await doorFor(t);
    const [own, foreign] = [await door.worker(), await door.worker()];
    const claim = await door.running("j1", own, { locks: ["free/x"] });
    const before = await door.job("j1");
    const ends: readonly (readonly [string, object])[] = [
      ["progress", { percent: 100, checkpoint: "stolen" }],
      ["complete", { result: "stolen" }],
      ["fail", { error: { message: "stolen" }, retry: false }],
      ["release", {}],
      ["lock", { paths: ["free/y"] }],
      ["unlock", {}],
    ];
    for (const [operation, input] of ends) {
      const path = `POST /v1/jobs/j1/${operation}`;
      for (const [sent, headers] of [
        [claim, foreign],
        [claim, {}],
        ["1.1", own],
        [String(before["fence"]), own],
        ["999999.999999", own],
      ] as const) {
        const { status, body } = await door.send(path, { claim: sent, ...input }, headers);
        assert.deepEqual([status, body["code"]], [409, "jobs.claim_stale"], `${operation} ${sent}`);
      }
      for (const bad of ["", "x", long(100)]) {
        const { body } = await door.send(path, { claim: bad, ...input }, own);
        assert.equal(body["code"], "input_invalid", `${operation} ${bad}`);
      }
    }
    assert.deepEqual(await door.job("j1"), before);
    const wrong = { ...own, "x-agent-secret": foreign["x-agent-secret"] ?? "" };
    const { status } = await door.send("POST /v1/jobs/j1/complete", { claim }, wrong);
    assert.ok(status === 401 || status === 403, String(status));
    assert.equal((await door.send("POST /v1/jobs/j1/complete", { claim }, own)).status, 200);
    assert.equal((await door.send("POST /v1/jobs/j1/complete", { claim }, own)).body["code"], "jobs.claim_stale");
  });

  test("a worker that lies about its progress is refused or bounded, and keeps its claim", async (t) => {
    const door = await doorFor(t);
    const own = await door.worker();
    const claim = await door.running("j1", own);
    const report = (body: object): Promise<Answer> => door.send("POST /v1/jobs/j1/progress", { claim, ...body }, own);
    for (const bad of [-1, 101, "50", null, 1e10])
      assert.equal((await report({ percent: bad })).status, 422, String(bad));
    for (const message of [control, long(501), "a\nb"]) assert.equal((await report({ message })).status, 422, message);
    assert.equal((await report({ checkpoint: long(64 * 1024) })).body["code"], "jobs.result_too_large");
    await report({ percent: 80 });
    await report({ percent: 10, message: "less" });
    const { percent, message, state } = await door.job("j1");
    assert.deepEqual([percent, message, state], [80, "less", "running"]);
    const { body } = await door.send("POST /v1/jobs/j1/complete", { claim, result: long(64 * 1024) }, own);
    assert.equal(body["code"], "jobs.result_too_large");
    const error = { message: long(2_001) };
    assert.equal((await door.send("POST /v1/jobs/j1/fail", { claim, error }, own)).body["code"], "input_invalid");
    assert.equal((await door.job("j1"))["state"], "running");
  });

  test("a job that waits is changed by PATCH as JSON or as a merge patch, and a running job is not", async (t) => {
    const door = await doorFor(t);
    const own = await door.worker();
    await door.send("POST /v1/jobs", { type: "b", id: "j1" });
    const patch = "PATCH /v1/jobs/j1";
    const { body } = await door.send(patch, { priority: 90 });
    assert.deepEqual([body["state"], body["priority"], body["max_attempts"]], ["ready", 90, 5]);
    const merged = await door.send(patch, { max_attempts: 2 }, { "content-type": "application/merge-patch+json" });
    assert.deepEqual([merged.body["priority"], merged.body["max_attempts"]], [90, 2]);
    const later = await door.send(patch, { run_at: "2099-01-01T00:00:00Z" });
    assert.equal(later.body["state"], "scheduled");
    await door.running("j2", own);
    assert.equal((await door.send("PATCH /v1/jobs/j2", { priority: 1 })).body["code"], "jobs.not_waiting");
  });
});
