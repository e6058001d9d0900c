/** The hub of notices with sources of its own. The tests of places and leases are in test/client/notices.test.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Notice } from "@holdfast/sdk/contract";
import { NoticeBox, noticeLimits } from "../../server/src/app/notices/notice-box.ts";
import { NoticeHub } from "../../server/src/app/notices/notice-hub.ts";
import type { NoticeSource } from "../../server/src/app/notices/notice-source.ts";
import { packHooks } from "../../server/src/app/packs/pack-hooks.ts";
import { packNotices } from "../../server/src/app/packs/pack-notices.ts";
import { allPacks } from "../../server/src/app/packs/all-packs.ts";
import { definePack } from "../../sdk/src/contract/packs/pack.ts";
import { loopTicks } from "../engine/manual-clock.ts";
import { startNode } from "../engine/start-node.ts";

const head = (owner: string) => ({ owner_id: owner, paths: ["doc/1"] });
const place = (ticket: string, at: number): Notice =>
  ({ notice: "place", ...head("ann"), ticket, place: at }) as unknown as Notice;
const expiring = (fence: string, left: number, owner = "ann"): Notice =>
  ({ notice: "expiring", ...head(owner), fence, left_ms: left }) as unknown as Notice;

test("a slow listener gets the newest notice of each word and key, and nothing older", async () => {
  const box = new NoticeBox({ onEnd: () => undefined });
  for (const notice of [place("1", 3), place("2", 4), expiring("1", 9), place("1", 2), expiring("1", 8)])
    box.add([notice]);
  assert.deepEqual((await box.next()).value, [place("1", 2), place("2", 4), expiring("1", 8)]);
});

test("notices beyond the unread bytes of a listener are brief, and a read makes room again [X15]", async () => {
  const brief = (notice: Notice): Notice => ({ ...notice, purpose: "" }) as Notice;
  const box = new NoticeBox({ onEnd: () => undefined, brief });
  const purpose = "ü".repeat(noticeLimits.unreadBytesMax / 5);
  const large = (ticket: string): Notice => ({ ...place(ticket, 1), purpose }) as unknown as Notice;
  for (let round = 0; round < 2; round += 1) {
    for (const ticket of ["1", "2", "3", "4"]) box.add([large(ticket)]);
    const expected = [large("1"), large("2"), brief(large("3")), brief(large("4"))];
    assert.deepEqual((await box.next()).value, expected);
  }
});

test("a listener with too many unread notices gets the current ones when it reads, and then new ones [X15]", async () => {
  const resync = (): void => box.add([place("now", 1)]);
  const box = new NoticeBox({ onEnd: () => undefined, resync });
  for (let ticket = 0; ticket < noticeLimits.unreadMax; ticket += 1) box.add([place(String(ticket), 1)]);
  assert.equal((await box.next()).value?.length, noticeLimits.unreadMax);
  for (let ticket = 0; ticket <= noticeLimits.unreadMax; ticket += 1) box.add([place(String(ticket), 1)]);
  box.add([place("late", 1)]);
  const { value: page = [] } = await box.next();
  // A comparison of 10,000 notices would take minutes.
  assert.equal(page.length, 1);
  assert.deepEqual(page, [place("now", 1)]);
  box.add([place("next", 1)]);
  assert.deepEqual((await box.next()).value, [place("next", 1)]);
});

test("the notices of an owner that are sent together share the page of a waiting listener", async () => {
  const box = new NoticeBox({ onEnd: () => undefined });
  const waiting = box.next();
  box.add([place("1", 3), place("2", 4)]);
  assert.deepEqual((await waiting).value, [place("1", 3), place("2", 4)]);
});

/** Sends the owner that a new entity names a notice. It counts the entries that it gets. */
function entitySource(): NoticeSource & { readonly taken: string[] } {
  const taken: string[] = [];
  return {
    ...{ word: "expiring", events: ["entity.created"], taken },
    begin: (_state, owner) => [expiring("0", 0, owner)],
    take: (_state, { events }) => {
      taken.push(...events.map(({ type }) => type));
      return events.map(({ subject }) => expiring(subject, 1, subject.slice("doc/".length)));
    },
  };
}

async function fencesOf(box: NoticeBox): Promise<readonly unknown[]> {
  return ((await box.next()).value ?? []).map((notice) => (notice.notice === "expiring" ? notice.fence : notice));
}

test("a listener gets the current notices of its owner and then new ones, and none of another owner", async () => {
  const { engine, client } = await startNode();
  const source = entitySource();
  const hub = new NoticeHub(engine, () => [source]);
  const [ann, bob] = [hub.listen("ann"), hub.listen("bob")];
  assert.deepEqual([await fencesOf(ann), await fencesOf(bob)], [["0"], ["0"]]);
  await client.entities.create("doc", "carl", {});
  await client.entities.create("doc", "bob", {});
  assert.deepEqual(await fencesOf(bob), ["doc/bob"]);
  await client.entities.patch("doc", "bob", { merge: { a: 1 } });
  await client.entities.create("doc", "ann", {});
  assert.deepEqual(await fencesOf(ann), ["doc/ann"]);
  assert.deepEqual(source.taken, ["entity.created", "entity.created", "entity.created"], "other entries are left out");
  await Promise.all([ann.return(), bob.return()]);
  await loopTicks(2);
  assert.equal(engine.health().subscriberCount, 0);
  await engine.stop();
});

test("a notice in a box is a copy, so that a listener cannot change what others get", async () => {
  const { engine } = await startNode();
  const shared = expiring("1", 1);
  const hub = new NoticeHub(engine, () => [{ ...entitySource(), begin: () => [shared] }]);
  const box = hub.listen("ann");
  const [notice] = (await box.next()).value ?? [];
  assert.deepEqual(notice, shared);
  assert.notEqual(notice, shared);
  await box.return();
  await engine.stop();
});

test("a pack that is off sends no notices", async () => {
  const { engine, client } = await startNode();
  const [source] = packNotices(allPacks.slice(0, 1).map((pack) => ({ ...pack, notices: [entitySource()] })));
  const current = () => engine.scan((state) => source?.begin(state, "ann").length);
  assert.equal(await current(), 1);
  await client.run("configure", { settings: { component_toggles: { planning: false } } });
  assert.equal(await current(), 0);
  await engine.stop();
});

test("a source with an unknown word or event stops the start", async () => {
  const { engine } = await startNode();
  const withSource = (more: Partial<NoticeSource>) => new NoticeHub(engine, () => [{ ...entitySource(), ...more }]);
  assert.throws(() => withSource({ word: "no.such" }), /no contract declares the notice no\.such/u);
  assert.throws(() => withSource({ events: ["no.event"] }), /expiring follows the event no\.event/u);
  await engine.stop();
});

test("a pack whose notices and sources differ, or whose word another pack could take, stops the start", () => {
  const [planning] = allPacks;
  assert.ok(planning !== undefined);
  const type = { summary: "A plan changed.", members: {}, key: "owner_id" };
  const { contract } = planning;
  assert.throws(() => definePack({ ...contract, notices: { "notes.due": type } }), /planning declares notes\.due/u);
  assert.throws(() => definePack({ ...contract, notices: { place: type } }), /planning declares place/u);
  const declared = definePack({ ...contract, notices: { "planning.due": type } });
  const source = { ...entitySource(), word: "planning.due" };
  assert.throws(() => packHooks({ ...planning, contract: declared }), /planning\.due, which needs exactly one source/u);
  assert.throws(
    () => packHooks({ ...planning, notices: [source] }),
    /notices of the pack planning names planning\.due/u,
  );
  assert.ok(packHooks({ ...planning, contract: declared, notices: [source] }).size > 0);
});
