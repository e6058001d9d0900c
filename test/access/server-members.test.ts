import assert from "node:assert/strict";
import { test } from "node:test";
import { open } from "holdfast";
import { refusalOf } from "../api/refused-with.ts";

test("a member that only the server sets is refused from a caller, with its pointer", async () => {
  await using client = await open({ memory: true });
  const allow = [{ verbs: ["read"], under: "" }];
  const input = { principal: "ci", allow, secret_hash: "0".repeat(64) };
  const { code, data } = await refusalOf(client.run("create-token", input));
  const [issue] = data["issues"] as { readonly pointer: string }[];
  assert.deepEqual([code, issue?.pointer], ["input_invalid", "/secret_hash"]);
});
