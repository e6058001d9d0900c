import assert from "node:assert/strict";
import { test } from "node:test";
import { open } from "holdfast";

const large = (index: number) => ({ text: String(index).repeat(900_000) });

test("a page of entities or of a history ends at four megabytes, and the next page has what follows [X15]", async () => {
  await using client = await open({ memory: true });
  const { entities } = client;
  for (let index = 0; index < 6; index += 1) await entities.create("big", String(index), large(index));
  for (let index = 1; index < 6; index += 1) await entities.replace("big", "0", large(index));
  const listed = await entities.list("big", { limit: 1_000 });
  assert.deepEqual([listed.items.length, listed.next], [4, "3"]);
  const rest = await entities.list("big", { limit: 1_000, after: "3" });
  assert.deepEqual([rest.items.map(({ id }) => id), rest.next], [["4", "5"], null]);
  const recent = await entities.history("big", "0", { limit: 1_000 });
  assert.equal(recent.items.length, 4);
  const older = await entities.history("big", "0", { limit: 1_000, before: recent.next ?? 0 });
  assert.deepEqual([older.items.map(({ version }) => version), older.next], [[2, 1], null]);
});
