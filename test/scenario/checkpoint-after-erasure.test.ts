import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { clientOf, openFolder, servicesOf, startEngine } from "../../server/src/assembly/open.ts";

test("a server continues to save checkpoints after an erasure, and the next start uses them", async () => {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-"));
  try {
    const engine = await startEngine({ journal: await openFolder(folder) });
    const client = clientOf(servicesOf(engine));
    await client.entities.create("note", "1", { text: "secret" });
    await engine.checkpoint();
    await client.entities.replace("note", "1", { text: "public" });
    await client.run("erase-payload", { position: 1, reason: "asked for" });
    await client.entities.create("note", "2", {});
    assert.equal(await engine.checkpoint(), 4);
    await client.close();
    const journal = await openFolder(folder);
    assert.equal((await journal.checkpoints.list())[0]?.head.position, 4);
    await journal.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});
