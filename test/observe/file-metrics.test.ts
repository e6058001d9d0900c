import assert from "node:assert/strict";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { observedNode } from "./observed-node.ts";
import { temporaryRoot } from "./temporary-root.ts";

test("metrics count publishes by outcome, bytes and degraded roots, without targets", async () => {
  await using root = await temporaryRoot();
  await using node = await observedNode({ addedServices: [root.service] });
  const { files } = node.inside;
  const metric = (text: string): Promise<number | undefined> => node.metric(`holdfast_file_${text}`);
  {
    await using publish = await files.publish("secret/target");
    await publish.write("a", "12345");
    assert.equal(await metric("open_publishes"), 1);
    assert.equal(await metric('root_reserved_bytes{root="main"}'), 1024 ** 3);
    await publish.commit();
  }
  {
    await using _aborted = await files.publish("secret/target");
  }
  assert.deepEqual(
    [
      await metric('publishes_total{outcome="committed"}'),
      await metric('publishes_total{outcome="aborted"}'),
      await metric('publishes_total{outcome="failed"}'),
      await metric("published_bytes_total"),
      await metric("targets"),
      await metric("versions"),
      await metric("open_publishes"),
      await metric('root_bytes{root="main"}'),
      await metric('root_reserved_bytes{root="main"}'),
      await metric('root_degraded{root="main"}'),
      await metric('root_missing_versions{root="main"}'),
    ],
    [1, 1, 0, 5, 1, 1, 0, 5, 0, 0, 0],
  );
  const free = await metric('root_free_bytes{root="main"}');
  assert.ok(free !== undefined && free > 0 && free <= ((await metric('root_disk_bytes{root="main"}')) ?? 0));
  await using broken = await files.publish("secret/target");
  await broken.write("sub/a", "x");
  const staged = join(root.folder, "secret", "target", "tmp", broken.id);
  await rename(join(staged, "sub"), join(staged, "moved"));
  await assert.rejects(broken.write("sub/b", "x"), { code: "files.root_degraded" });
  assert.deepEqual(
    [await metric('publishes_total{outcome="failed"}'), await metric('root_degraded{root="main"}')],
    [1, 1],
  );
  assert.doesNotMatch(await node.page(), /secret/u);
});
