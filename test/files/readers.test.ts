/** Readers that pin a version get all of its files, while versions are published and removed as fast as possible. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Allowance, Client } from "holdfast";
import { counts } from "../prove/counts.ts";
import { filesServer } from "./files-server.ts";

const target = "site/docs";
const paths = ["index.html", "css/main.css", "js/app.js"];

async function publish(client: Client, number: number): Promise<void> {
  await using publishing = await client.files.publish(target);
  await Promise.all(paths.map((path) => publishing.write(path, `${path} of ${String(number)}`)));
  assert.equal((await publishing.commit()).version, number);
}

/** Reads every file of the current version. All of them are of one publish. */
async function readAll(client: Client): Promise<number> {
  const { version } = await client.files.pin({ target, ttlMs: 60_000 });
  for (const path of paths) {
    const text = Buffer.from(await client.files.read(target, path, { version })).toString();
    assert.equal(text, `${path} of ${String(version)}`);
  }
  await client.files.unpin({ target, version });
  return version;
}

test(
  `readers get every file of a pinned version while ${String(counts.readPublishes)} versions are published and removed at once [W6]`,
  { timeout: 600_000 },
  async () => {
    await using server = await filesServer();
    const everything: readonly Allowance[] = [{ verbs: ["read", "write", "lock", "register"], under: "" }];
    const readers = [await server.clientOf("ann", everything), await server.clientOf("bob", everything)];
    await server.operator.files.configure({ retentionMs: 0 });
    await publish(server.operator, 1);
    let isOver = false;
    const seen = readers.map(async (reader) => {
      const versions: number[] = [];
      while (!isOver) versions.push(await readAll(reader));
      return versions;
    });
    for (let number = 2; number <= counts.readPublishes; number += 1) await publish(server.operator, number);
    isOver = true;
    for (const versions of await Promise.all(seen)) {
      assert.deepEqual(
        versions,
        versions.toSorted((a, b) => a - b),
        "no reader goes back to an older version",
      );
      assert.ok(new Set(versions).size >= counts.readPublishes / 100, "the readers met several versions");
    }
    assert.equal(await readAll(readers[0] as Client), counts.readPublishes);
  },
);
