import assert from "node:assert/strict";
import { test } from "node:test";
import { events, isAllowed, isOfEntity, pathsOfEvent } from "@holdfast/sdk/contract";
import type { EventType, Resource } from "@holdfast/sdk/contract";
import Type from "typebox";
import { definePack } from "../../sdk/src/contract/packs/pack.ts";
import { resourcePath, resourceTypePath } from "../../sdk/src/contract/packs/resource-path.ts";
import { appOperationOf, appOperations, requireRules } from "../../server/src/app/calls/app-operations.ts";
import { packHooks } from "../../server/src/app/packs/pack-hooks.ts";
import { allPacks } from "../../server/src/app/packs/all-packs.ts";
import { recordOf, registryOf } from "../../server/src/operations/registry.ts";

const [planning] = allPacks;
const inBook: EventType = {
  summary: "A text was signed.",
  data: Type.Object({}),
  paths: ({ data }) => [
    `book/${(data as { readonly book: string }).book}`,
    ...((data as { more?: string[] }).more ?? []),
  ],
};

test("an event of a pack is on the paths that its type declares, and otherwise on the path of its subject", () => {
  const event = { subject: "note/b1/n1", data: { book: "b2", more: ["shelf/1"] } };
  assert.deepEqual(pathsOfEvent(inBook, event), ["book/b2", "shelf/1"]);
  const { paths: _paths, ...plain } = inBook;
  assert.deepEqual(pathsOfEvent(plain, event), ["note/b1/n1"]);
  assert.equal(pathsOfEvent(undefined, event), undefined, "an unknown type has no path");
  const erased: EventType = { ...plain, paths: ({ data }) => [(data as { path: string }).path] };
  assert.equal(pathsOfEvent(erased, { subject: "a/1", data: {} }), undefined, "erased data has no path");
});

test("an event about the space, a token or a registration is on no path, so that no path of a token shows it", () => {
  const hidden = Object.entries<EventType>(events).filter(([type]) => !isOfEntity(type) && !type.startsWith("lock."));
  assert.ok(hidden.length > 10);
  for (const [type, eventType] of hidden)
    assert.equal(pathsOfEvent(eventType, { subject: "space/1", data: {} }), undefined, type);
});

test("the path of a resource follows its template, and a right to a parent path contains it", () => {
  const map = { type: "map", path: "project/{0}/map/{1}" };
  assert.equal(resourcePath(map, "p1/m2"), "project/p1/map/m2");
  assert.equal(resourcePath(map, "p1/m2/extra"), "project/p1/map/m2/extra", "further segments are below the path");
  assert.equal(resourcePath(map, "p1"), "project/p1/map", "a missing segment ends the path");
  assert.deepEqual([resourceTypePath(map), resourceTypePath({ type: "map" })], ["project", "map"]);
  const allow = [{ verbs: ["read" as const], under: "project/p1" }];
  assert.ok(isAllowed(allow, ["read"], resourcePath(map, "p1/m2")));
  assert.ok(!isAllowed(allow, ["read"], resourcePath(map, "p2/m2")));
  assert.ok(!isAllowed(allow, ["read"], resourceTypePath(map)));
});

test("a pack with a name that another pack could take stops the start, and the error names it", () => {
  const pack = { name: "notes", summary: "", resources: [], operations: [], events: {}, problems: {} };
  const problem = { status: 409, retry: "never", title: "", next: "" } as const;
  assert.throws(() => definePack({ ...pack, problems: { "other.full": problem } }), /declares other\.full/u);
  assert.throws(() => definePack({ ...pack, events: { "entity.created": inBook } }), /declares entity\.created/u);
  const foreign = { pack: "other", name: "note" } as unknown as Resource;
  assert.throws(() => definePack({ ...pack, resources: [foreign] }), /note names the pack other/u);
  assert.equal(definePack(pack).problems["notes.off"]?.status, 409);
});

test("a duplicate name, a write without a rule, a read without an answer and a hook without an operation stop the start", () => {
  const operations = appOperations([]);
  const get = recordOf(operations, "get-entity");
  assert.throws(() => registryOf([get, get]), /two operations have the name get-entity/u);
  assert.throws(() => appOperationOf(get, {}), /nothing answers the read get-entity/u);
  assert.throws(() => requireRules(operations, new Set()), /no rule decides the write \S+/u);
  assert.ok(planning !== undefined);
  const finish = { "planning.no-such": () => ({ kind: "done" as const, data: {} }) };
  assert.throws(() => packHooks({ ...planning, finish }), /finish of the pack planning names planning\.no-such/u);
  assert.throws(
    () => packHooks({ ...planning, views: { plan: () => ({}) } }),
    /views of the pack planning names plan/u,
  );
});
