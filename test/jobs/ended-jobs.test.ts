/** Jobs that ended: the ring of the newest, and its list. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { listJobs } from "../../server/src/packs/jobs/list-jobs.ts";
import { clientNode } from "../client/client-node.ts";
import { JobDecider } from "./job-decider.ts";

interface Page {
  readonly items: readonly { readonly id: string }[];
  readonly next: string | null;
}

function list(node: JobDecider, input: JsonObject): Page {
  const { data } = listJobs.run(input as never, { state: node.machine.durable } as never);
  return data as unknown as Page;
}

test("jobs that ended are listed newest first, by state, type and project, page by page", async () => {
  await using node = await clientNode();
  const client = node.fresh("ann");
  await using _worker = await client.jobs.work("mail", () => "sent");
  for (const id of ["j1", "j2", "j3"]) await client.jobs.submit("mail", null, { id, project: id === "j2" ? "p" : "" });
  for (const id of ["j1", "j2", "j3"]) await client.jobs.wait(id);
  await client.jobs.submit("tiles", null, { id: "t1" });
  await client.jobs.cancel({ id: "t1" });
  const ids = async (query: Parameters<typeof client.jobs.list>[0]): Promise<readonly string[]> => {
    const { items } = await client.jobs.list(query);
    return items.map(({ id }) => id);
  };
  assert.deepEqual(await ids({ state: "completed" }), ["j3", "j2", "j1"]);
  assert.deepEqual(await ids({ state: "completed", project: "p" }), ["j2"]);
  assert.deepEqual(await ids({ state: "cancelled", type: "tiles" }), ["t1"]);
  assert.deepEqual(await ids({ state: "cancelled", type: "mail" }), []);
  const first = await client.jobs.list({ state: "completed", limit: 2 });
  assert.deepEqual(
    first.items.map(({ id, state, attempt, endedAt }) => [id, state, attempt, typeof endedAt]),
    [
      ["j3", "completed", 1, "string"],
      ["j2", "completed", 1, "string"],
    ],
  );
  const second = await client.jobs.list({ state: "completed", limit: 2, after: first.next ?? "" });
  assert.deepEqual(
    second.items.map(({ id }) => id),
    ["j1"],
  );
  assert.equal(second.next, null);
});

test("the newest 10,000 ended jobs stay, and the id of an older one can be used again", () => {
  const node = new JobDecider();
  for (let from = 0; from < 10_500; from += 500) {
    const jobs = Array.from({ length: 500 }, (_, index) => ({ type: "a", id: `j${from + index}` }));
    node.jobs("submit-many", { jobs });
    node.jobs("cancel", { type: "a" });
  }
  assert.equal(node.rows("job-ends").length, 10_000);
  assert.equal(node.rows("job-end-places").length, 10_000);
  assert.equal(node.submit("j500").code, "jobs.exists");
  assert.equal(node.submit("j499").code, "done");
  const newest = list(node, { state: "cancelled", limit: 2 });
  assert.deepEqual(
    newest.items.map(({ id }) => id),
    ["j10499", "j10498"],
  );
  const last = list(node, { state: "cancelled", after: "502" });
  assert.deepEqual(
    last.items.map(({ id }) => id),
    ["j501", "j500"],
  );
  assert.equal(last.next, null, "the list ends at the oldest job of the ring");
  assert.deepEqual(list(node, { state: "cancelled", after: "no cursor" }).items, []);
});
