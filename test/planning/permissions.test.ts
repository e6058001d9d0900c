import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { connect } from "holdfast";
import { folderFor, serverFor } from "../socket/with-server.ts";
import { planningHttp, assertProblem, createPlan } from "./planning-http.ts";

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

/** A server, its operator's secret, and functions to create and revoke tokens. */
async function guarded(t: TestContext) {
  const data = join(await folderFor(t), ".holdfast");
  const { url } = await serverFor(t, data);
  const operator = bearer((await readFile(join(data, "operator-token"), "utf8")).trim());
  const token = async (principal: string, allow: object[]) => {
    const headers = { ...operator, "content-type": "application/json" };
    const response = await fetch(`${url}/v1/tokens`, {
      method: "POST",
      headers,
      body: JSON.stringify({ principal, allow }),
    });
    assert.equal(response.status, 201);
    return (await response.json()) as { readonly token_id: string; readonly secret: string };
  };
  const revoke = (id: string) => fetch(`${url}/v1/tokens/${id}`, { method: "DELETE", headers: operator });
  return { url, operator, token, revoke };
}

test("a replay is refused for a revoked token, and each principal has its own keys [P5 P6]", async (t) => {
  const { url, token, revoke } = await guarded(t);
  const all = [{ verbs: ["read", "write"], under: "" }];
  const ann = await token("ann", all);
  const bob = await token("bob", all);
  const key = { "idempotency-key": "acme" };
  const asAnn = planningHttp(url, { ...bearer(ann.secret), ...key });
  assert.equal((await asAnn("POST", "/organizations", { name: "Acme" })).status, 201);
  assert.equal((await asAnn("POST", "/organizations", { name: "Acme" })).replayed, "true");
  const other = await planningHttp(url, { ...bearer(bob.secret), ...key })("POST", "/organizations", {
    name: "Umbrella",
  });
  assert.deepEqual([other.status, other.replayed], [201, "false"]);
  assert.equal((await revoke(ann.token_id)).status, 200);
  assertProblem(await asAnn("POST", "/organizations", { name: "Acme" }), 401, "token_invalid");
});

test("a reader cannot change plans, and only an operator can reopen a locked mission, with a reason [P6 P7]", async (t) => {
  const { url, operator, token } = await guarded(t);
  const anonymous = planningHttp(url);
  await createPlan(anonymous);
  const reader = planningHttp(url, bearer((await token("eve", [{ verbs: ["read"], under: "" }])).secret));
  assert.equal((await reader("GET", "/missions/m")).status, 200);
  const tag = { "if-match": '"1.1"' };
  assertProblem(await reader("PATCH", "/missions/m", { name: "Solder" }, tag), 403, "not_allowed");
  await anonymous("POST", "/missions/m/transition", { to: "planned" }, tag);
  await anonymous("POST", "/missions/m/transition", { to: "locked" }, { "if-match": '"1.2"' });
  const back = { "if-match": '"1.3"' };
  assertProblem(await anonymous("POST", "/missions/m/reopen", { reason: "rain" }, back), 403, "not_allowed");
  const asOperator = planningHttp(url, operator);
  assertProblem(await asOperator("POST", "/missions/m/reopen", {}, back), 422, "input_invalid");
  const reopened = await asOperator("POST", "/missions/m/reopen", { reason: "rain" }, back);
  assert.deepEqual([reopened.status, reopened.body["status"]], [200, "planned"]);
  const audit = await fetch(`${url}/v1/audit?operation=planning.reopen-mission&outcome=done`, { headers: operator });
  const { items } = (await audit.json()) as { items: Readonly<Record<string, unknown>>[] };
  assert.deepEqual(
    items.map(({ by, reason }) => ({ by, reason })),
    [{ by: { principal: "operator" }, reason: "rain" }],
  );
});

test("a caller with write but not read permission on a project sees no field of it over any interface", async (t) => {
  const { url, token } = await guarded(t);
  await createPlan(planningHttp(url));
  const { secret } = await token("blind", [{ verbs: ["write"], under: "planning-project/p" }]);
  const blind = planningHttp(url, bearer(secret));
  assertProblem(await blind("GET", "/projects/p"), 403, "not_allowed");
  const byRoute = await blind("PATCH", "/projects/p", { description: "steel" }, { "if-match": '"1.1"' });
  assert.deepEqual([byRoute.status, byRoute.etag], [200, '"1.2"']);
  const late = await blind("PATCH", "/projects/p", { description: "wood" }, { "if-match": '"1.1"' });
  assertProblem(late, 412, "planning.concurrency_mismatch");
  const command = { operation: "planning.update-project", input: { id: "p", changes: { description: "stone" } } };
  const headers = { ...bearer(secret), "content-type": "application/json" };
  const byCommand = await fetch(`${url}/v1/commands`, { method: "POST", headers, body: JSON.stringify(command) });
  assert.equal(byCommand.status, 200);
  await using socket = await connect(url, { token: secret });
  const bySocket = await socket.execute("planning.archive-project", { id: "p" });
  assert.equal(bySocket.outcome.kind, "done");
  for (const text of [byRoute.text, late.text, await byCommand.text(), JSON.stringify(bySocket)]) {
    assert.doesNotMatch(text, /Bridge|steel|wood|stone|organization_id|archived"/);
  }
});
