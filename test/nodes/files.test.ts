/** Published files on two nodes over one Postgres, each with a storage root of its own. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ServiceKeeper } from "../../server/src/services/service-keeper.ts";
import { temporaryRoot } from "../observe/temporary-root.ts";
import { shareJournal } from "./postgres-nodes.ts";
import type { PostgresNode } from "./postgres-nodes.ts";
import { processPostgres } from "./process-postgres.ts";

type TemporaryRoot = Awaited<ReturnType<typeof temporaryRoot>>;

async function started({ services, reports }: PostgresNode, root: TemporaryRoot): Promise<ServiceKeeper> {
  const keeper = new ServiceKeeper([root.service], { services, report: (message) => void reports.push(message) });
  await keeper.start();
  return keeper;
}

test("files are published and read on the node that has their root, and the other node names it [W6 W11]", async () => {
  const shared = shareJournal(await processPostgres());
  await using left = await temporaryRoot("left", "node-1");
  await using right = await temporaryRoot("right", "node-2");
  await using imposter = await temporaryRoot("left", "node-3");
  const keepers: ServiceKeeper[] = [];
  try {
    const [first, second] = (await Promise.all([1, 2].map(() => shared.node()))) as [PostgresNode, PostgresNode];
    keepers.push(await started(first, left), await started(second, right));
    const places = [
      { here: first, there: second, root: "left", node: "node-1" },
      { here: second, there: first, root: "right", node: "node-2" },
    ];
    await assert.rejects(first.client.files.publish("t"), { code: "files.root_ambiguous" });
    for (const { here, there, root, node } of places) {
      const target = `of/${root}`;
      await using publish = await here.client.files.publish(target, { root });
      await publish.write("a", root);
      const elsewhere = { code: "files.root_elsewhere", data: { root, node } };
      const body = async function* () {
        yield Buffer.from("x");
      };
      const upload = await there.client.execute("files.upload", { id: publish.id, path: "b" }, { body: body() });
      assert.deepEqual([upload.outcome.kind === "refusal" && upload.outcome.code], ["files.root_elsewhere"]);
      await assert.rejects(there.client.operations.files.commit({ id: publish.id }), elsewhere);
      const { version, files } = await publish.commit();
      assert.deepEqual([version, files], [1, 1]);
      assert.equal((await there.client.files.get(target)).version, 1, "the row is on every node");
      await assert.rejects(there.client.files.read(target, "a"), elsewhere);
      assert.equal(Buffer.from(await here.client.files.read(target, "a")).toString(), root);
    }
    const running = await second.client.files.publish("of/right", { root: "right" });
    const ended = await first.client.files.publish("of/left", { root: "left" });
    await keepers[0]?.stop();
    keepers[0] = await started(first, left);
    await assert.rejects(ended.commit(), { code: "files.publish_unknown" });
    assert.equal((await running.commit()).version, 2, "the publish of the other node continues");
    const third = await shared.node();
    keepers.push(await started(third, imposter));
    assert.match(third.reports.join("\n"), /storage-root left failed/u, "another folder is not the root of that name");
    const { items } = await second.client.files.listRoots();
    assert.deepEqual(
      items.map(({ root, node }) => [root, node]),
      [
        ["left", "node-1"],
        ["right", "node-2"],
      ],
    );
  } finally {
    for (const keeper of keepers) await keeper.stop();
    await shared.close();
  }
});
