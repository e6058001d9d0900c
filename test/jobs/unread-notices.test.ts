/** A worker that listens and never reads. Its jobs start and end over other connections. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { noticeLimits } from "../../server/src/app/notices/notice-box.ts";
import { clientNode } from "../client/client-node.ts";

const batch = 100;
const payload = "x".repeat(5_000);

test("a worker with too many unread notices is sent the jobs that run when it reads, in a bounded page [X15]", async () => {
  await using node = await clientNode();
  const client = node.fresh("ann");
  const { agentId, secret } = await client.agents.register({ name: "w" });
  const { jobs } = client.as({ agentId, secret }).operations;
  const box = node.services.notices.listen(agentId);
  await jobs.offer({ types: ["large"], slots: batch });
  let running: { readonly id: string; readonly claim: string }[] = [];
  for (let started = 0; started <= noticeLimits.unreadMax + batch; started += batch) {
    await client.jobs.submitMany(Array.from({ length: batch }, () => ({ type: "large", payload })));
    if (running.length > 0) await jobs.completeMany({ jobs: running, withNext: false });
    const { next = [] } = await jobs.offer({ types: ["large"], slots: batch });
    running = next.map(({ id, claim }) => ({ id, claim }));
    assert.equal(running.length, batch);
  }
  const page = (await box.next()).value ?? [];
  assert.equal(page.length, batch);
  const sent = page.map((notice) => String((notice as { readonly claim?: unknown }).claim));
  assert.deepEqual(sent.toSorted(), running.map(({ claim }) => claim).toSorted());
  assert.ok(JSON.stringify(page).length < noticeLimits.unreadBytesMax + batch * 1_000);
  await client.jobs.submit("large", payload, { id: "later" });
  await jobs.completeMany({ jobs: running.slice(0, 1), withNext: false });
  const [later] = (await box.next()).value ?? [];
  assert.equal((later as { readonly job?: { readonly id: string } } | undefined)?.job?.id, "later");
});
