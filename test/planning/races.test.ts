import assert from "node:assert/strict";
import { test } from "node:test";
import { serverFor } from "../socket/with-server.ts";
import { holdfast } from "../scenario/holdfast-command.ts";
import type { Program } from "../scenario/program.ts";
import { folderFor } from "../socket/with-server.ts";

type ResponseBody = Readonly<Record<string, unknown>>;

async function request(url: string, method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(url + path, {
    method,
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    etag: response.headers.get("etag") ?? "",
    text,
    body: JSON.parse(text) as ResponseBody,
  };
}

async function oneMission(url: string): Promise<void> {
  await request(url, "POST", "/v1/planning/organizations", { id: "o", name: "Acme" });
  await request(url, "POST", "/v1/planning/projects", { id: "p", organization_id: "o", name: "Bridge" });
  await request(url, "POST", "/v1/planning/missions", { id: "m", project_id: "p", name: "Weld", description: "" });
}

/**
 * Reads the mission, appends a mark, writes it with the ETag, and retries after a mismatch. Returns the number of
 * attempts.
 */
async function addMark(url: string, mark: string): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const read = await request(url, "GET", "/v1/planning/missions/m");
    const description = `${String(read.body["description"])}${mark};`;
    const written = await request(url, "PATCH", "/v1/planning/missions/m", { description }, { "if-match": read.etag });
    if (written.status === 200) return tries;
    assert.equal(written.status, 412, written.text);
    assert.equal(written.body["code"], "planning.concurrency_mismatch");
  }
}

test("50 clients edit one mission concurrently without a lost update, and the audit trail links all revisions [P2 P3 P8]", async (t) => {
  const { url } = await serverFor(t);
  await oneMission(url);
  const marks = Array.from({ length: 50 }, (_, number) => `mark-${String(number)}`);
  const tries = await Promise.all(marks.map((mark) => addMark(url, mark)));
  const { body, etag } = await request(url, "GET", "/v1/planning/missions/m");
  const found = String(body["description"]).split(";").filter(Boolean);
  assert.deepEqual(found.toSorted(), marks.toSorted());
  assert.ok(
    tries.some((count) => count > 1),
    "some clients had to retry",
  );
  const trail = await auditTrail(url);
  assert.equal(trail.length, 51);
  let revision: unknown = null;
  for (const { changes, by } of trail) {
    const [change] = changes as [ResponseBody];
    assert.equal(change["prior_revision"], revision);
    assert.deepEqual(by, { principal: "anonymous" });
    ({ revision } = change);
  }
  assert.equal(revision, etag.slice(1, -1));
  assert.equal((await rebuilt(url))["description"], body["description"]);
});

/** The mission as rebuilt from its history, from the first version on. */
async function rebuilt(url: string): Promise<ResponseBody> {
  const { body } = await request(url, "GET", "/v1/entities/planning-mission/m/history?limit=1000");
  const data = (body["items"] as { data: ResponseBody; event: string }[]).toReversed();
  const changes = data.filter(({ event }) => !event.endsWith(".conflict"));
  return changes.reduce<ResponseBody>(
    (value, event) => (event.data["value"] ?? { ...value, ...(event.data["merge"] as ResponseBody) }) as ResponseBody,
    {},
  );
}

/** The writes to the mission, oldest first. */
async function auditTrail(url: string): Promise<readonly ResponseBody[]> {
  const items: ResponseBody[] = [];
  let before: number | null = null;
  do {
    const query = before === null ? "" : `&before=${String(before)}`;
    const { body, text } = await request(
      url,
      "GET",
      `/v1/audit?subject=planning-mission/m&outcome=done&limit=20${query}`,
    );
    assert.ok(Array.isArray(body["items"]), text);
    items.push(...(body["items"] as ResponseBody[]));
    before = body["next"] as number | null;
  } while (before !== null);
  return items.toReversed();
}

async function startOn(folder: string): Promise<{ program: Program; url: string }> {
  const program = holdfast(folder, "up --json");
  const up = JSON.parse(await program.line(/"event":"up"/)) as { url: string };
  return { program, url: up.url };
}

test("20 concurrent creates with one key make one resource and return equal replies, across a kill -9 [P4 P5]", async (t) => {
  const folder = await folderFor(t);
  const first = await startOn(folder);
  const create = (url: string) =>
    request(url, "POST", "/v1/planning/organizations", { name: "Acme" }, { "idempotency-key": "acme" });
  const early = Array.from({ length: 20 }, () => create(first.url).catch(() => undefined));
  // Killed after the first reply. The entry is durable, regardless of the other replies.
  await Promise.race(early);
  first.program.signal("SIGKILL");
  const answered = (await Promise.all(early)).filter((answer) => answer !== undefined);
  await first.program.ended;
  const second = await startOn(folder);
  const late = await Promise.all(Array.from({ length: 20 }, () => create(second.url)));
  const bodies = [...answered, ...late].map(({ status, body: { replayed: _replayed, ...rest } }) =>
    JSON.stringify({ status, rest }),
  );
  assert.equal(new Set(bodies).size, 1);
  assert.equal(late[0]?.status, 201);
  const { body } = await request(second.url, "GET", "/v1/planning/organizations");
  assert.equal((body["items"] as unknown[]).length, 1);
  second.program.signal("SIGTERM");
  await second.program.ended;
});
