/** Publishing through the client and over HTTP, on a real disk. */
import { defined } from "@holdfast/sdk/base/defined";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { HoldfastError } from "holdfast";
import type { Client } from "holdfast";
import { filesServer } from "./files-server.ts";

const textOf = async (client: Client, path: string, version?: number): Promise<string> =>
  Buffer.from(await client.files.read("site/docs", path, defined({ version }))).toString();

async function published(client: Client, files: Readonly<Record<string, string>>, target = "site/docs") {
  await using publish = await client.files.publish(target);
  for (const [path, text] of Object.entries(files)) await publish.write(path, text);
  return await publish.commit();
}

/** The reason in `/health` why the first root takes no publishes. */
interface HealthAnswer {
  readonly services: Readonly<
    Record<string, { readonly details: { readonly roots: readonly { readonly degraded?: string }[] } }>
  >;
}

async function codeOf(refused: Promise<unknown>): Promise<string> {
  const error = await refused.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof HoldfastError, String(error));
  return error.code;
}

test("a publish becomes one version that every reader gets whole, and the version before stays for a time [W6]", async () => {
  await using server = await filesServer();
  const { operator: client } = server;
  const first = await published(client, { "index.html": "one", "css/main.css": "body {}" });
  assert.deepEqual([first.version, first.files, first.bytes], [1, 2, 10]);
  const second = await published(client, { "index.html": "two" });
  assert.deepEqual([second.version, second.isCurrent], [2, true]);
  assert.deepEqual([await textOf(client, "index.html"), await textOf(client, "index.html", 1)], ["two", "one"]);
  assert.equal(await codeOf(client.files.read("site/docs", "css/main.css")), "files.file_unknown");
  const { items } = await client.files.list("site/docs", { version: 1 });
  assert.deepEqual(
    items.map(({ path, bytes, sha256 }) => [path, bytes, sha256.length]),
    [
      ["css/main.css", 7, 64],
      ["index.html", 3, 64],
    ],
  );
  await published(client, { "index.html": "three" });
  const kept = (await client.files.listVersions("site/docs")).items;
  assert.deepEqual(
    kept.map(({ version, keptUntil }) => [version, keptUntil !== undefined]),
    [
      [3, false],
      [2, false],
      [1, true],
    ],
  );
  assert.deepEqual(server.reports, []);
});

test("a folder is published with all its files at once, and a folder with a link publishes nothing", async () => {
  await using server = await filesServer();
  const { operator: client } = server;
  const folder = join(server.root, "..", "build");
  await mkdir(join(folder, "css"), { recursive: true });
  await writeFile(join(folder, "index.html"), "one");
  await writeFile(join(folder, "css", "main.css"), "body {}");
  const { files, meta } = await client.files.publishFolder("site/docs", folder, { meta: { title: "Docs" } });
  assert.deepEqual([files, meta], [2, { title: "Docs" }]);
  assert.deepEqual([await textOf(client, "index.html"), await textOf(client, "css/main.css")], ["one", "body {}"]);
  await symlink("/etc/hostname", join(folder, "link"));
  await assert.rejects(client.files.publishFolder("site/docs", folder), /link is not a regular file/u);
  assert.equal((await client.files.get("site/docs")).version, 1);
  assert.deepEqual((await client.files.listPublishes()).items, []);
});

test("an aborted publish leaves no file, and its folder is removed [W6]", async () => {
  await using server = await filesServer();
  const { operator: client } = server;
  {
    await using publish = await client.files.publish("site/docs");
    await publish.write("a", "lost");
  }
  assert.equal(await codeOf(client.files.get("site/docs")), "files.version_unknown");
  await using again = await client.files.publish("site/docs");
  await again.write("a", "kept");
  await again.commit();
  await using restarted = await server.restarted();
  const names = await readdir(join(restarted.root, "site", "docs"), { recursive: true });
  assert.equal(names.filter((name) => name.endsWith("/a")).length, 1);
  assert.equal(await textOf(restarted.operator, "a"), "kept");
});

test("parts are sent over HTTP, checked and resumed, and content is answered by range and by tag [W6]", async () => {
  await using server = await filesServer();
  const json = { "content-type": "application/json" };
  const locked = await server.request("POST", "/v1/locks/acquire", {
    ...{ headers: json, body: JSON.stringify({ paths: ["site/docs"], owner_id: "me", ttl_seconds: 60 }) },
  });
  const { fence } = (await locked.json()) as { fence: string };
  const opened = await server.request("POST", "/v1/files/publishes", {
    ...{ headers: json, body: JSON.stringify({ target: "site/docs", fence }) },
  });
  assert.equal(opened.status, 201, await opened.clone().text());
  const { id } = (await opened.json()) as { id: string };
  const part = async (query: string, body: string, digest?: string): Promise<readonly unknown[]> => {
    const headers = {
      "content-type": "application/octet-stream",
      ...(digest !== undefined && { "content-digest": digest }),
    };
    const answer = await server.request("PUT", `/v1/files/publishes/${id}/parts?${query}`, { headers, body });
    const data = (await answer.json()) as Readonly<Record<string, unknown>>;
    return [
      answer.status,
      data["code"] ?? data["bytes"],
      ...(data["expected"] === undefined ? [] : [data["expected"]]),
    ];
  };
  const sha256 = createHash("sha256").update("01234").digest("hex");
  assert.deepEqual(await part(`path=a.txt&sha256=${sha256}`, "01234"), [200, 5]);
  assert.deepEqual(await part("path=a.txt&offset=0", "01234"), [200, 5], "a repeated part changes nothing");
  assert.deepEqual(await part("path=a.txt&offset=9", "x"), [409, "files.upload_offset", 5], "parts out of order");
  assert.deepEqual(await part(`path=a.txt&offset=5&sha256=${sha256}`, "5678_"), [422, "files.digest_mismatch", sha256]);
  const digestOf = (text: string): string =>
    `sha-512=:x:, sha-256=:${createHash("sha256").update(text).digest("base64")}:`;
  const ofHeader = ["path=a.txt&offset=5", "56789"] as const;
  assert.deepEqual(await part(...ofHeader, digestOf("01234")), [422, "files.digest_mismatch", sha256]);
  assert.deepEqual(await part(...ofHeader, "sha-256=AAAA"), [422, "input_invalid"], "a malformed header");
  assert.deepEqual(await part(`${ofHeader[0]}&sha256=${sha256}`, "56789", digestOf("56789")), [422, "input_invalid"]);
  assert.deepEqual(await part(...ofHeader, digestOf("56789")), [200, 10]);
  const commit = await server.request("POST", `/v1/files/publishes/${id}/commit`, {
    ...{ headers: json, body: JSON.stringify({ release: true }) },
  });
  assert.deepEqual([commit.status, ((await commit.json()) as { version: number }).version], [200, 1]);
  const content = "/v1/files/content?target=site%2Fdocs&path=a.txt";
  const range = await server.request("GET", content, { headers: { range: "bytes=2-4" } });
  assert.deepEqual(
    [range.status, range.headers.get("content-range"), await range.text()],
    [206, "bytes 2-4/10", "234"],
  );
  const tag = range.headers.get("etag") ?? "";
  assert.equal(tag, `"${createHash("sha256").update("0123456789").digest("hex")}"`);
  const known = await server.request("GET", content, { headers: { "if-none-match": tag } });
  assert.equal(known.status, 304);
  const locks = (await (await server.request("GET", "/v1/locks")).json()) as { items: unknown[] };
  assert.deepEqual(locks.items, [], "the commit released the lock");
});

test("hostile paths, twins and too much of anything are refused, and the publish continues", async () => {
  await using server = await filesServer();
  const { operator: client } = server;
  await client.files.configure({ filesMax: 4, fileBytesMax: 20 });
  await using publish = await client.files.publish("site/docs", { bytesMax: 30 });
  const refused: readonly (readonly [string, string])[] = [
    ["../outside", "files.name_invalid"],
    ["/etc/passwd", "files.name_invalid"],
    ["a/../../b", "files.name_invalid"],
    ["a//b", "files.name_invalid"],
    ["a\\b", "files.name_invalid"],
    ["nul\u0001", "files.name_invalid"],
    ["report\u202Egpj.exe", "files.name_invalid"],
    ["MANIFEST", "files.name_invalid"],
    ["manifest/x", "files.name_invalid"],
    ["x".repeat(256), "files.name_invalid"],
    ["a/".repeat(20) + "b", "files.name_invalid"],
  ];
  for (const [path, code] of refused) assert.equal(await codeOf(publish.write(path, "x")), code, path);
  await publish.write("Dir/a", "x");
  assert.equal(await codeOf(publish.write("dir/b", "x")), "files.name_taken");
  assert.equal(await codeOf(publish.write("Dir/A", "x")), "files.name_taken");
  assert.equal(await codeOf(publish.write("Dir/a/b", "x")), "files.name_taken");
  assert.equal(await codeOf(publish.write("Dir", "x")), "files.name_taken");
  await publish.write("cafe\u0301", "x");
  assert.equal(await codeOf(publish.write("CAF\u00c9", "x")), "files.name_taken", "both forms of Unicode are one name");
  assert.equal(await codeOf(publish.write("big", "x".repeat(21))), "files.too_large");
  await publish.write("c", "x".repeat(20));
  assert.equal(await codeOf(publish.write("d", "x".repeat(20))), "files.too_large");
  await publish.write("e", "");
  assert.equal(await codeOf(publish.write("f", "")), "files.too_many");
  assert.equal((await publish.commit()).files, 4);
});

test("a publisher that lost its lock changes nothing, and of two publishers one wins [W6]", async () => {
  await using server = await filesServer();
  const { operator: client } = server;
  const lock = await client.operations.acquireLock({ paths: ["site/docs"], ownerId: "slow", ttlMs: 60_000 });
  assert.ok(lock.granted);
  const publish = await client.files.publish("site/docs", { fence: lock.fence });
  await publish.write("a", "late");
  await client.operations.releaseLock({ fence: lock.fence, ownerId: "slow" });
  await published(client, { a: "winner" });
  assert.equal(await codeOf(publish.commit()), "fence_stale");
  assert.equal(await textOf(client, "a"), "winner");
  await publish.abort();
  assert.equal(await codeOf(client.files.publish("site/docs", { expectedVersion: 5 })), "files.version_conflict");
  await using held = await client.acquire("site/docs");
  const { fence } = held;
  const both = await Promise.all([1, 2].map(() => client.files.publish("site/docs", { fence, expectedVersion: 1 })));
  const endOf = (error: unknown): unknown => (error as HoldfastError).code;
  const ends = await Promise.all(both.map((each) => each.commit().then(({ version }) => version, endOf)));
  assert.deepEqual(new Set(ends), new Set([2, "files.version_conflict"]));
  await Promise.all(both.map((each) => each.abort()));
});

test("another principal neither sees nor uses a publish, and rights go by the target", async () => {
  await using server = await filesServer();
  const ann = await server.clientOf("ann", [
    { under: "site", verbs: ["read", "write", "lock"] },
    { under: "", verbs: ["register"] },
  ]);
  const bob = await server.clientOf("bob", [
    { under: "site", verbs: ["read", "write", "lock"] },
    { under: "", verbs: ["register"] },
  ]);
  const eve = await server.clientOf("eve", [
    { under: "other", verbs: ["read", "write", "lock"] },
    { under: "", verbs: ["register"] },
  ]);
  await using publish = await ann.files.publish("site/docs");
  await publish.write("a", "mine");
  const body = async function* () {
    yield Buffer.from("theirs");
  };
  for (const other of [bob, eve]) {
    const input = { id: publish.id, path: "b" };
    const { outcome } = await other.execute("files.upload", input, { body: body() });
    assert.ok(outcome.kind === "refusal");
    assert.deepEqual([outcome.code, outcome.data["id"]], ["files.publish_unknown", publish.id]);
    for (const operation of ["files.commit", "files.abort"])
      assert.equal(await codeOf(other.run(operation, { id: publish.id })), "files.publish_unknown", operation);
  }
  assert.equal((await publish.commit()).files, 1);
  assert.equal(await codeOf(eve.files.read("site/docs", "a")), "not_allowed");
  assert.equal(await codeOf(eve.files.publish("site/docs")), "not_allowed");
  assert.equal(await codeOf(bob.files.configure({ filesMax: 1 })), "not_allowed");
  const { items } = await eve.journal.list({}).catch(() => ({ items: [] }));
  assert.doesNotMatch(JSON.stringify(items), /site\/docs/u);
});

test("a quota counts what is stored and what running publishes reserve", async () => {
  await using server = await filesServer();
  const { operator: client } = server;
  await client.files.configure({ quotas: { site: 100 } });
  await using publish = await client.files.publish("site/docs", { bytesMax: 60 });
  assert.equal(await codeOf(client.files.publish("site/other", { bytesMax: 60 })), "files.quota_exceeded");
  await publish.write("a", "x".repeat(50));
  await publish.commit();
  await using other = await client.files.publish("site/other", { bytesMax: 50 });
  await other.abort();
  assert.equal(await codeOf(client.files.publish("site/other", { bytesMax: 51 })), "files.quota_exceeded");
  await using elsewhere = await client.files.publish("reports", { bytesMax: 60 });
  assert.ok(elsewhere.id.startsWith("p"));
});

test("a link that replaces a folder during a publish leads nowhere, and the root is degraded until an operator clears it", async () => {
  await using server = await filesServer();
  const { operator: client, root } = server;
  await using publish = await client.files.publish("site/docs");
  await publish.write("sub/a", "one");
  const staged = join(root, "site", "docs", "tmp", publish.id);
  const outside = join(root, "..", "outside");
  await mkdir(outside);
  await rename(join(staged, "sub"), join(staged, "moved"));
  await symlink(outside, join(staged, "sub"));
  assert.equal(await codeOf(publish.write("sub/b", "two")), "files.root_degraded");
  assert.deepEqual(await readdir(outside), [], "nothing was written outside the root");
  assert.equal(await codeOf(publish.commit()), "files.publish_unknown");
  await publish.abort();
  assert.equal(await codeOf(client.files.publish("site/docs")), "files.root_degraded");
  const degraded = async (): Promise<unknown> => {
    const { services } = (await (await server.request("GET", "/health")).json()) as HealthAnswer;
    return services["storage-root main"]?.details.roots[0]?.degraded;
  };
  assert.equal(await degraded(), "ENOTDIR");
  assert.equal((await server.request("POST", "/v1/files/roots/main/clear")).status, 200);
  assert.equal(await degraded(), undefined);
  await published(client, { a: "again" });
  assert.equal(await textOf(client, "a"), "again");
});

test("a start moves unknown folders aside, removes empty ones, reports missing versions, and refuses another folder as the root [W6]", async () => {
  await using server = await filesServer();
  await published(server.operator, { a: "kept" });
  const { version } = await published(server.operator, { a: "lost" });
  assert.equal(version, 2);
  const target = join(server.root, "site", "docs");
  const versions = (await readdir(target)).filter((name) => name.startsWith("v."));
  await rm(join(target, versions.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1)).at(-1) ?? ""), {
    recursive: true,
  });
  await mkdir(join(target, "v.p9-9"));
  await writeFile(join(target, "v.p9-9", "a"), "of lost history");
  await mkdir(join(server.root, "export", "old", "tmp"), { recursive: true });
  await using second = await server.restarted();
  assert.equal(second.reports.length, 2, second.reports.join("\n"));
  assert.deepEqual(await readdir(join(second.root, ".orphans")), ["site+docs+v.p9-9"]);
  const folders = (await readdir(second.root)).filter((name) => !name.startsWith("."));
  assert.deepEqual(folders, ["site"]);
  assert.equal(await codeOf(second.operator.files.read("site/docs", "a")), "files.damaged");
  assert.equal(await textOf(second.operator, "a", 1), "kept");
  await rm(join(second.root, ".root", "id"));
  await using third = await second.restarted();
  assert.equal(await codeOf(third.operator.files.publish("site/docs")), "files.root_unavailable");
  assert.equal(await codeOf(third.operator.files.read("site/docs", "a", { version: 1 })), "files.root_unavailable");
  assert.match(third.reports.join("\n"), /storage-root main failed/u);
});

test("a deleted target is gone, unless a reader has pinned a version", async () => {
  await using server = await filesServer();
  const { operator: client } = server;
  await published(client, { a: "x" });
  const lock = await client.operations.acquireLock({ paths: ["site/docs"], ownerId: "me", ttlMs: 60_000 });
  assert.ok(lock.granted);
  const { fence } = lock;
  await client.files.pin({ target: "site/docs", ttlMs: 600_000 });
  assert.equal(await codeOf(client.files.delete("site/docs", fence)), "files.version_pinned");
  await published(client, { a: "x" }, "site/other");
  const other = await client.operations.acquireLock({ paths: ["site/other"], ownerId: "me", ttlMs: 60_000 });
  assert.ok(other.granted);
  assert.equal((await client.files.delete("site/other", other.fence)).versions, 1);
  assert.equal(await codeOf(client.files.get("site/other")), "files.version_unknown");
});

test("the numbers of a deleted target continue, and a version of the past is read at its position [W6]", async () => {
  await using first = await filesServer();
  const remove = async (client: Client, target: string): Promise<void> => {
    const lock = await client.operations.acquireLock({ paths: [target], ownerId: "me", ttlMs: 60_000 });
    assert.ok(lock.granted);
    await client.files.delete(target, lock.fence);
    await client.operations.releaseLock({ fence: lock.fence, ownerId: "me" });
  };
  const positionNow = async (client: Client): Promise<number> => Number((await client.cursor()).split(".").at(-1));
  const start = await positionNow(first.operator);
  await published(first.operator, { a: "one" });
  const two = await published(first.operator, { a: "two" });
  const beforeDeletion = await positionNow(first.operator);
  await remove(first.operator, "site/docs");
  const afterDeletion = await positionNow(first.operator);
  await using server = await first.restarted();
  const { operator: client } = server;
  assert.equal((await published(client, { a: "three" })).version, 3, "also after a restart");
  assert.equal((await published(client, { a: "x" }, "site/new")).version, 1);
  const past = await client.files.get("site/docs", { position: beforeDeletion });
  assert.deepEqual([past.version, past.digest, past.isRemoved, past.isCurrent], [2, two.digest, true, false]);
  const newest = await client.files.get("site/docs", { position: Number.MAX_SAFE_INTEGER });
  assert.deepEqual([newest.version, newest.isRemoved, newest.isCurrent], [3, undefined, true]);
  for (const position of [start, afterDeletion])
    assert.equal(await codeOf(client.files.get("site/docs", { position })), "files.version_unknown");
  assert.equal(await codeOf(client.files.get("site/docs", { position: 1, version: 1 })), "input_invalid");
  assert.equal(await codeOf(client.files.read("site/docs", "a", { version: 2 })), "files.version_unknown");
});
