/** Workers over HTTP that wait for a job with `Prefer: wait=n`. */
import { defined } from "@holdfast/sdk/base/defined";
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "holdfast";
import { serverFor } from "../socket/with-server.ts";

interface TakenJobs {
  readonly next?: readonly { readonly id: string; readonly claim: string }[];
}

async function newWorker(url: string): Promise<(seconds: number, signal?: AbortSignal) => Promise<Response>> {
  const registered = await fetch(`${url}/v1/agents/register`, post({ name: "w" }));
  const { agent_id: agent = "", secret = "" } = (await registered.json()) as { agent_id?: string; secret?: string };
  const identity = { "x-agent-id": agent, "x-agent-secret": secret };
  return (seconds, signal) =>
    fetch(`${url}/v1/workers/me/take`, {
      ...post({ types: ["mail", "tiles"] }, { ...identity, prefer: `wait=${String(seconds)}` }),
      ...defined({ signal }),
    });
}

function post(body: object, headers: Readonly<Record<string, string>> = {}): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
}

const taken = async (answer: Response): Promise<readonly string[]> =>
  (((await answer.json()) as TakenJobs).next ?? []).map(({ id }) => id);

test("a worker over HTTP gets a job as soon as it is submitted, and each job is in exactly one response", async (t) => {
  const { url } = await serverFor(t);
  await using client = await connect(url);
  const workers = await Promise.all([newWorker(url), newWorker(url), newWorker(url)]);
  const answers = workers.map((take) => take(60));
  for (const id of ["j1", "j2", "j3"]) await client.jobs.submit("mail", null, { id });
  const all = await Promise.all(answers);
  assert.equal(all[0]?.headers.get("preference-applied"), "wait=60");
  assert.deepEqual((await Promise.all(all.map(taken))).flat().sort(), ["j1", "j2", "j3"]);
  const [take] = workers;
  const before = await client.cursor();
  assert.deepEqual(await taken(await take(0)), []);
  assert.equal(await client.cursor(), before, "a call that starts no job leaves no entry");
});

test("a worker that disconnects while it waits gets no job, and another worker does", async (t) => {
  const { url } = await serverFor(t);
  await using client = await connect(url);
  const [gone, other] = [await newWorker(url), await newWorker(url)];
  const hangUp = new AbortController();
  // A call that starts no job leaves no entry. The event of a blocked job shows that the first try is over.
  await using _lock = await client.acquire("plans/p", { ttlMs: 60_000 });
  await client.jobs.submit("tiles", null, { locks: ["plans/p"] });
  const tried = client.watch({ after: await client.cursor(), names: ["evt.jobs.blocked"] });
  const waiting = gone(60, hangUp.signal);
  await tried.next();
  await tried.return?.();
  hangUp.abort();
  await assert.rejects(waiting, { name: "AbortError" });
  // The server notices the end of the connection between two requests.
  for (let turn = 0; turn < 20; turn += 1) assert.deepEqual(await taken(await other(0)), []);
  const answer = other(60);
  await client.jobs.submit("mail", null, { id: "j1" });
  assert.deepEqual(await taken(await answer), ["j1"]);
});
