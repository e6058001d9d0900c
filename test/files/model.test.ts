/** The pack `files` and a plain model of it, side by side over random commands. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { garbageTable, publishTable, rootTable, versionTable } from "../../server/src/packs/files/file-tables.ts";
import { fileLimits } from "../../server/src/packs/files/file-tables.ts";
import { Decider } from "../locks/decider.ts";
import type { DecisionResult } from "../locks/decider.ts";
import { counts } from "../prove/counts.ts";
import { Random } from "../simulation/random.ts";
import { FileModel } from "./file-model.ts";
import type { DiskSteps } from "./file-model.ts";

/** Commands of one world. */
const worldSize = 250;
const targets = ["site/docs", "site/app", "model"];
const roots = ["left", "right"];
const principals = ["ann", "bob"];

class FileDecider extends Decider {
  /** Decides with the evidence of the node. */
  commit(input: JsonObject, principal: string, evidence: JsonObject): DecisionResult {
    const position = this.entries.length + 1;
    const command = { id: `command-${String(position)}`, operation: "files.commit", principal, input, evidence };
    const { outcome, entry, defect } = this.machine.decide(command, {
      ...{ position, time: this.time, grace: false },
      prior: undefined,
    });
    if (defect !== undefined) throw defect as Error;
    this.machine.settle();
    if (entry !== undefined) this.entries.push(entry);
    return {
      code: outcome.kind === "refusal" ? outcome.code : "done",
      data: outcome.data,
      events: entry?.events ?? [],
    };
  }
}

/** The machine and the model side by side. */
class FileWorld {
  readonly node = new FileDecider();
  readonly fences = new Map<string, string>();
  readonly model = new FileModel((target) => this.fences.get(target));
  readonly random: Random;
  readonly seen = new Set<string>();
  #sessions = 0;

  constructor(seed: number) {
    this.random = new Random(seed);
    for (const root of roots) this.announce(root);
  }

  step(): void {
    const act = this.random.weighed({
      ...{ open: 14, commit: 14, abort: 2, pin: 5, unpin: 3, remove: 2, lock: 8, configure: 2 },
      ...{ clear: 1, announce: 1, fail: 1, sweep: 3, pass: 5 },
    });
    const [expected, found] = this[act]();
    assert.equal(found, expected, `${act} at position ${String(this.node.entries.length)}`);
    this.seen.add(`${act} ${expected}`);
    this.#compare(act);
  }

  open(): readonly [string, string] {
    const { random, node, model } = this;
    const target = random.pick(targets);
    const principal = random.pick(principals);
    const input = {
      target,
      fence: this.#fence(target),
      ...(random.chance(0.9) ? { root: random.pick([...roots, "none"]) } : {}),
      bytes_max: random.pick([10, 100, 1_000]),
      ...(random.chance(0.3) ? { expected_version: model.current(target) + random.below(2) } : {}),
      timeout_seconds: random.pick([5, 600]),
    };
    const id = `p1-${String(node.entries.length + 1)}`;
    // A fence is proof only if its principal presents it.
    const expected =
      principal === "ann" ? model.open(input, principal, { id, time: node.time }) : this.#openOfOther(input);
    return [expected, node.decide("files.open", input, principal).code];
  }

  #openOfOther(input: Parameters<FileModel["open"]>[0]): string {
    return this.model.open({ ...input, fence: "none" }, "bob", { id: "", time: 0 });
  }

  commit(): readonly [string, string] {
    const { random, node, model } = this;
    const publish = model.publishes.length === 0 ? undefined : random.pick(model.publishes);
    const { id = "p9-9", session = "", bytesMax = 0, root = "left" } = publish ?? {};
    const principal = random.chance(0.9) ? "ann" : "bob";
    const steps = random.weighed({ kept: 9, full: 1, broken: 1 });
    const failure = { full: "files.storage_full", broken: "files.root_degraded" } as const;
    const bytes = random.below(bytesMax + 1);
    const done: DiskSteps = steps === "kept" ? { bytes } : { code: failure[steps], degrades: steps === "broken" };
    const evidence = {
      ...{ id, session },
      ...("bytes" in done
        ? { sealed: { files: 1, bytes, digest: "0".repeat(64) } }
        : { fault: { ...done, data: { root, reason: "EIO" } } }),
    };
    const expected = model.commit(id, principal, { time: node.time, steps: done });
    return [expected, node.commit({ id }, principal, evidence).code];
  }

  abort(): readonly [string, string] {
    const { random, model, node } = this;
    const id = model.publishes.length === 0 ? "p9-9" : random.pick(model.publishes).id;
    return [model.abort(id, "ann"), node.decide("files.abort", { id }, "ann").code];
  }

  pin(): readonly [string, string] {
    const { random, node, model } = this;
    const [target, version, owner] = [random.pick(targets), this.#version(), random.pick(principals)];
    const seconds = random.pick([1, 60, 7_200]);
    const until = node.time + seconds * 1_000;
    const expected = model.pin(target, version, { owner, time: node.time, until });
    return [expected, node.decide("files.pin", { target, version, ttl_seconds: seconds }, owner).code];
  }

  unpin(): readonly [string, string] {
    const { random, node, model } = this;
    const [target, version, owner] = [random.pick(targets), this.#version(), random.pick(principals)];
    const expected = model.unpin(target, version, { owner, time: node.time });
    return [expected, node.decide("files.unpin", { target, version }, owner).code];
  }

  remove(): readonly [string, string] {
    const { random, node, model } = this;
    const target = random.pick(targets);
    const fence = this.#fence(target);
    return [model.delete(target, fence, node.time), node.decide("files.delete", { target, fence }, "ann").code];
  }

  /** The lock of a target is released and acquired again, or only released. */
  lock(): readonly [string, string] {
    const { random, node } = this;
    const target = random.pick(targets);
    const held = this.fences.get(target);
    if (held !== undefined) node.decide("release-lock", { fence: held, owner_id: "ann" }, "ann");
    this.fences.delete(target);
    if (random.chance(0.15)) return ["done", "done"];
    const input = { paths: [target], owner_id: "ann", ttl_seconds: 86_400 };
    const { code, data } = node.decide("acquire-lock", input, "ann");
    this.fences.set(target, data["fence"] as string);
    return ["done", code];
  }

  configure(): readonly [string, string] {
    const { random, node, model } = this;
    const root = random.pick(roots);
    const [ofRoot, ofSite] = [random.pick([null, 2_000, 9_000]), random.pick([null, 1_500, 6_000])];
    const seconds = random.pick([0, 10, 3_600]);
    for (const each of model.roots) if (each.root === root) each.bytesMax = ofRoot ?? undefined;
    if (ofSite === null) model.quotas.delete("site");
    else model.quotas.set("site", ofSite);
    model.retentionMs = seconds * 1_000;
    const input = { retention_seconds: seconds, root_quotas: { [root]: ofRoot }, quotas: { site: ofSite } };
    return ["done", node.decide("files.configure", input, "ann").code];
  }

  clear(): readonly [string, string] {
    const root = this.random.pick(roots);
    for (const each of this.model.roots) if (each.root === root) each.isDegraded = false;
    return ["done", this.node.decide("files.clear-root", { root }, "ann").code];
  }

  announce(root = this.random.pick(roots)): readonly [string, string] {
    this.#sessions += 1;
    const session = `s${String(this.#sessions)}`;
    const input = { root, root_id: root, session, node: "n" };
    return [this.model.announce(root, session), this.node.decide("files.announce", input, "holdfast").code];
  }

  fail(): readonly [string, string] {
    const { random, model, node } = this;
    if (model.publishes.length === 0) return ["done", "done"];
    const { id, root, principal } = random.pick(model.publishes);
    const degrades = random.chance(0.3);
    const expected = model.abort(id, principal);
    if (degrades) model.degrade(root);
    return [expected, node.decide("files.fail", { id, code: "EIO", reason: "EIO", degrades }, "holdfast").code];
  }

  /** The node has removed some folders. */
  sweep(): readonly [string, string] {
    const { random, model, node } = this;
    const gone = model.garbage.filter(() => random.chance(0.5)).slice(0, 20);
    if (gone.length === 0) return ["done", "done"];
    model.garbage = model.garbage.filter((each) => !gone.includes(each));
    return ["done", node.decide("files.removed", { ids: gone.map(({ id }) => id) }, "holdfast").code];
  }

  pass(): readonly [string, string] {
    this.node.pass(this.random.pick([1_000, 6_000, 600_000]));
    this.model.pass(this.node.time);
    return ["done", "done"];
  }

  #fence(target: string): string {
    return this.random.chance(0.95) ? (this.fences.get(target) ?? "9.9") : "9.9";
  }

  #version(): number {
    const known = this.model.versions;
    return known.length === 0 || this.random.chance(0.1) ? 99 : this.random.pick(known).version;
  }

  #compare(act: string): void {
    const { durable: state } = this.node.machine;
    const all = { limit: Infinity };
    const versions = state.rows(versionTable).scan("target", all);
    const line = (row: (typeof versions)[number] | FileModel["versions"][number]): string => {
      const pins = (row.pins ?? []).map(({ owner, until }) => `${owner} ${String(until)}`).sort();
      return [row.target, row.version, row.root, row.bytes, row.id, row.collectAt ?? "", ...pins].join(" ");
    };
    assert.deepEqual(versions.map(line).sort(), this.model.versions.map(line).sort(), act);
    const ids = (rows: readonly { readonly id: string }[]): readonly string[] => rows.map(({ id }) => id).sort();
    assert.deepEqual(ids(state.rows(publishTable).scan("order", all)), ids(this.model.publishes), act);
    assert.deepEqual(ids(state.rows(garbageTable).scan("root", all)), ids(this.model.garbage), act);
    for (const row of state.rows(rootTable).scan("root", all)) {
      const isOf = ({ root }: { readonly root: string }): boolean => root === row.root;
      const model = this.model.roots.find(isOf);
      assert.deepEqual(
        [row.bytes, row.reserved, row.degraded !== undefined, row.bytesMax],
        [this.model.bytesOf(isOf), this.model.reservedOf(isOf), model?.isDegraded, model?.bytesMax],
        `${act}, root ${row.root}`,
      );
    }
  }
}

/** Outcomes that must occur, or the commands prove too little. */
const required = [
  ...["open done", "open files.quota_exceeded", "open files.root_degraded", "open fence_stale"],
  ...["open files.version_conflict", "open files.root_ambiguous", "open files.root_unknown"],
  ...["commit done", "commit fence_stale", "commit files.version_conflict", "commit files.publish_unknown"],
  ...["commit files.storage_full", "pin done", "unpin done", "remove done", "remove files.version_pinned"],
];

test("published files agree with a plain model over random commands: outcomes, versions, pins, bytes and garbage [W6]", () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= counts.fileCommands / worldSize; seed += 1) {
    const world = new FileWorld(seed);
    for (let step = 0; step < worldSize; step += 1) world.step();
    for (const each of world.seen) seen.add(each);
  }
  assert.deepEqual(
    required.filter((each) => !seen.has(each)),
    [],
  );
});

test("a number is never used twice, also if more targets are deleted than are remembered one by one [W6]", () => {
  const { node, model, fences } = new FileWorld(1);
  const publish = (target: string): number => {
    const { data } = node.decide("acquire-lock", { paths: [target], owner_id: "ann", ttl_seconds: 86_400 }, "ann");
    const fence = data["fence"] as string;
    fences.set(target, fence);
    const opened = node.decide("files.open", { target, fence, root: "left", bytes_max: 0 }, "ann");
    const { id } = opened.data as { id: string };
    const { session = "" } = model.roots.find(({ root }) => root === "left") ?? {};
    const sealed = { files: 0, bytes: 0, digest: "0".repeat(64) };
    return node.commit({ id }, "ann", { id, session, sealed }).data["version"] as number;
  };
  const remove = (target: string): void => {
    const fence = fences.get(target) ?? "";
    assert.equal(node.decide("files.delete", { target, fence }, "ann").code, "done");
    node.decide("release-lock", { fence, owner_id: "ann" }, "ann");
  };
  for (const version of [1, 2, 3]) {
    assert.equal(publish("first"), version);
    node.decide("release-lock", { fence: fences.get("first") ?? "", owner_id: "ann" }, "ann");
  }
  publish("first");
  remove("first");
  for (let index = 0; index < fileLimits.retiredMax; index += 1) {
    const target = `t/${String(index)}`;
    publish(target);
    remove(target);
  }
  assert.equal(publish("first"), 5, "a forgotten target");
  assert.equal(publish("t/9999"), 2, "a remembered target");
  assert.equal(publish("new"), 5, "a new target starts above every forgotten number");
});
