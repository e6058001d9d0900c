import assert from "node:assert/strict";
import { test } from "node:test";
import { planning, problemOf, problems, routedOperations } from "@holdfast/sdk/contract";
import { serverFor } from "../socket/with-server.ts";

const routed = routedOperations.filter(({ operation }) => planning.operations.includes(operation));
const writes = routed.filter(({ operation }) => operation.kind === "write");

interface Described {
  readonly parameters?: readonly { readonly name?: string; readonly $ref?: string }[];
  readonly responses: Readonly<Record<string, unknown>>;
}

test("every update and transition of planning requires If-Match, and no create does [P2]", () => {
  for (const { operation, route } of writes) {
    const isCreate = operation.name.startsWith("planning.create-");
    assert.equal(route.needs, isCreate ? undefined : "if-match", operation.name);
  }
  assert.equal(routed.length, planning.operations.length, "each operation has one route");
});

test("the OpenAPI document names Idempotency-Key and If-Match where they apply, with their responses [P2 P4]", async (t) => {
  const { url } = await serverFor(t);
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Described>>;
  };
  for (const { operation, route } of writes) {
    const described = document.paths[route.path]?.[route.method.toLowerCase()];
    const text = JSON.stringify(described?.parameters ?? []).toLowerCase();
    assert.match(text, /idempotency/u, operation.name);
    if (route.needs !== "if-match") continue;
    assert.match(text, /if-?match/u, operation.name);
    for (const status of ["412", "428"]) assert.ok(described?.responses[status], `${operation.name} ${status}`);
  }
});

test("every refusal code of planning is registered, and refusals that the plan decides are never retryable [P9]", () => {
  const own = Object.keys(problems).filter((code) => code.startsWith("planning."));
  assert.ok(own.length >= 14);
  for (const code of own) assert.equal(problemOf(code).retry, "never", code);
  assert.equal(problemOf("planning.concurrency_mismatch").retry, "new-key-after-read");
  assert.equal(problemOf("planning.concurrency_etag_required").retry, "new-key-after-read");
  for (const { operation } of routed) {
    for (const code of operation.problems) assert.ok(Object.hasOwn(problems, code), `${operation.name}: ${code}`);
  }
});
