import assert from "node:assert/strict";
import { test } from "node:test";
import { serverFor } from "../socket/with-server.ts";
import { holdfast } from "../scenario/holdfast-command.ts";
import type { Program } from "../scenario/program.ts";
import { folderFor } from "../socket/with-server.ts";

type Facts = Readonly<Record<string, unknown>>;

async function ask(url: string, method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(url + path, {
    method,
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, etag: response.headers.get("etag") ?? "", text, body: JSON.parse(text) as Facts };
}

async function oneMission(url: string): Promise<void> {
  await ask(url, "POST", "/v1/planning/organizations", { id: "o", name: "Acme" });
  await ask(url, "POST", "/v1/planning/projects", { id: "p", organization_id: "o", name: "Bridge" });
  await ask(url, "POST", "/v1/planning/missions", { id: "m", project_id: "p", name: "Weld", description: "" });
}

/** Reads, adds its mark, says what it saw, and starts again when somebody was faster. */
async function addMark(url: string, mark: string): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const read = await ask(url, "GET", "/v1/planning/missions/m");
    const description = `${String(read.body["description"])}${mark};`;
    const written = await ask(url, "PATCH", "/v1/planning/missions/m", { description }, { "if-match": read.etag });
    if (written.status === 200) return tries;
    assert.equal(written.status, 412, written.text);
    assert.equal(written.body["code"], "planning.concurrency_mismatch");
  }
}

test("50 clients edit one mission at once: no update is lost, and the audit trail leads from the first to the last [P2 P3 P8]", async (t) => {
  const { url } = await serverFor(t);
  await oneMission(url);
  const marks = Array.from({ length: 50 }, (_, number) => `mark-${String(number)}`);
  const tries = await Promise.all(marks.map((mark) => addMark(url, mark)));
  const { body, etag } = await ask(url, "GET", "/v1/planning/missions/m");
  const found = String(body["description"]).split(";").filter(Boolean);
  assert.deepEqual(found.toSorted(), marks.toSorted());
  assert.ok(
    tries.some((count) => count > 1),
    "some had to try again",
  );
  const trail = await auditTrail(url);
  assert.equal(trail.length, 51);
  let revision: unknown = null;
  for (const { changes, by } of trail) {
    const [change] = changes as [Facts];
    assert.equal(change["prior_revision"], revision);
    assert.deepEqual(by, { principal: "anonymous" });
    ({ revision } = change);
  }
  assert.equal(revision, etag.slice(1, -1));
  assert.equal((await rebuilt(url))["description"], body["description"]);
});

/** The mission as it comes out when what its history tells is applied from the first version on. */
async function rebuilt(url: string): Promise<Facts> {
  const { body } = await ask(url, "GET", "/v1/entities/planning-mission/m/history?limit=1000");
  const data = (body["items"] as { data: Facts; event: string }[]).toReversed();
  const changes = data.filter(({ event }) => !event.endsWith(".conflict"));
  return changes.reduce<Facts>(
    (value, one) => (one.data["value"] ?? { ...value, ...(one.data["merge"] as Facts) }) as Facts,
    {},
  );
}

/** The writes to the mission, oldest first. */
async function auditTrail(url: string): Promise<readonly Facts[]> {
  const items: Facts[] = [];
  let before: number | null = null;
  do {
    const query = before === null ? "" : `&before=${String(before)}`;
    const { body, text } = await ask(url, "GET", `/v1/audit?subject=planning-mission/m&outcome=done&limit=20${query}`);
    assert.ok(Array.isArray(body["items"]), text);
    items.push(...(body["items"] as Facts[]));
    before = body["next"] as number | null;
  } while (before !== null);
  return items.toReversed();
}

async function startOn(folder: string): Promise<{ program: Program; url: string }> {
  const program = holdfast(folder, "up --json");
  const up = JSON.parse(await program.line(/"event":"up"/)) as { url: string };
  return { program, url: up.url };
}

test("20 creates with one key at once make one resource and 20 equal answers, across a kill -9 in the middle [P4 P5]", async (t) => {
  const folder = await folderFor(t);
  const first = await startOn(folder);
  const create = (url: string) =>
    ask(url, "POST", "/v1/planning/organizations", { name: "Acme" }, { "idempotency-key": "acme" });
  const early = Array.from({ length: 20 }, () => create(first.url).catch(() => undefined));
  // Killed as soon as one of them was answered: whatever the others got, the entry is there.
  await Promise.race(early);
  first.program.signal("SIGKILL");
  const answered = (await Promise.all(early)).filter((answer) => answer !== undefined);
  await first.program.ended;
  const second = await startOn(folder);
  const late = await Promise.all(Array.from({ length: 20 }, () => create(second.url)));
  const bodies = [...answered, ...late].map(({ status, body: { replayed: _replayed, ...facts } }) =>
    JSON.stringify({ status, facts }),
  );
  assert.equal(new Set(bodies).size, 1);
  assert.equal(late[0]?.status, 201);
  const { body } = await ask(second.url, "GET", "/v1/planning/organizations");
  assert.equal((body["items"] as unknown[]).length, 1);
  second.program.signal("SIGTERM");
  await second.program.ended;
});
