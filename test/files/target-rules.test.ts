/** The rules about targets: the read lock of a project, and the rules that other packs register. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { HoldfastError } from "holdfast";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { featuresOf, knownRules } from "../../server/src/assembly/open.ts";
import { refuse } from "../../server/src/features/entities/kind-refusal.ts";
import { machineSettings } from "../../server/src/features/space/space.ts";
import { Machine } from "../../server/src/machine/machine.ts";
import { filesRules } from "../../server/src/packs/files/files.ts";
import { targetRules } from "../../server/src/packs/files/target-rule.ts";
import type { TargetUse } from "../../server/src/packs/files/target-rule.ts";
import { Decider } from "../locks/decider.ts";
import { filesServer } from "./files-server.ts";

const target = "project/p/map/m/tiles";

async function refusalOf(refused: Promise<unknown>): Promise<HoldfastError> {
  const error = await refused.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof HoldfastError, String(error));
  return error;
}

test("files in a map are read and pinned only with a read lock on the map, and operators read them [W4 W6]", async () => {
  await using server = await filesServer();
  const ann = await server.clientOf("ann", [
    { verbs: ["read", "write", "lock"], under: "project/p" },
    { verbs: ["register"], under: "" },
  ]);
  {
    await using publish = await ann.files.publish(target);
    await publish.write("0/0/0.png", "tile");
    await publish.commit();
  }
  const reads = {
    get: () => ann.files.get(target),
    list: () => ann.files.list(target),
    listVersions: () => ann.files.listVersions(target),
    read: () => ann.files.read(target, "0/0/0.png"),
    pin: () => ann.files.pin({ target, ttlMs: 1_000 }),
  };
  await using writer = await server.operator.acquire("project/p/map/m");
  for (const [name, read] of Object.entries(reads)) {
    const { code, data } = await refusalOf(read());
    const [missing] = (data as { missing: readonly JsonObject[] }).missing;
    assert.deepEqual([name, code], [name, "files.lock_required"]);
    assert.deepEqual([missing?.["path"], missing?.["mode"], missing?.["scope"]], ["project/p/map/m", "read", "self"]);
    assert.equal((missing?.["holders"] as readonly unknown[]).length, 1, "the writer is named");
  }
  assert.equal(Buffer.from(await server.operator.files.read(target, "0/0/0.png")).toString(), "tile");
  await writer.release();
  {
    await using sister = await ann.acquire({ path: "project/p/map/other", mode: "read" });
    assert.equal((await refusalOf(ann.files.get(target, { fence: sister.fence }))).code, "files.lock_required");
  }
  const lock = await ann.acquire({ path: "project/p/map/m", mode: "read" });
  for (const read of Object.values(reads)) await read();
  const { fence } = lock;
  assert.equal((await ann.files.get(target, { fence })).version, 1);
  await lock.release();
  assert.equal((await refusalOf(ann.files.get(target, { fence }))).code, "files.lock_required");
});

test("a rule of another pack is asked about opening, committing, reading and deleting targets below its path [W13]", () => {
  const asked: string[] = [];
  let refusesUse: TargetUse["use"] | undefined;
  const rule = {
    prefix: "export",
    rule: (_context: unknown, { use, target: named }: TargetUse) => {
      asked.push(`${use} ${named}`);
      return use === refusesUse ? refuse("toy.closed", { use }, { audited: true }) : undefined;
    },
  };
  const files = filesRules(targetRules([rule])).feature;
  const features = featuresOf([]).map((feature) => (feature.name === "files" ? files : feature));
  const decider = new Decider(new Machine({ features, knownRules, settings: machineSettings }));
  decider.decide("files.announce", { root: "main", root_id: "r", session: "s", node: "n" }, "holdfast");
  const fenceOf = (path: string): string => decider.acquire("ann", path).data["fence"] as string;
  const [fence, otherFence] = [fenceOf("export/p"), fenceOf("exports/p")];
  const open = (input: JsonObject) => decider.decide("files.open", input);
  assert.equal(open({ target: "exports/p", fence: otherFence }).code, "done");
  assert.equal(asked.length, 0, "another target that begins with the same letters is not concerned");
  const uses = [
    ["open", () => open({ target: "export/p", fence })],
    ["read", () => decider.decide("files.pin", { target: "export/p", ttl_seconds: 1 })],
    ["delete", () => decider.decide("files.delete", { target: "export/p", fence })],
  ] as const;
  for (const [use, act] of uses) {
    refusesUse = use;
    const before = decider.entries.length;
    assert.equal(act().code, "toy.closed");
    assert.deepEqual(
      [decider.entries.length - before, decider.entries.at(-1)?.events.length],
      [1, 0],
      "the refusal is audited, and changes nothing",
    );
  }
  refusesUse = undefined;
  const id = open({ target: "export/p", fence }).data["id"] as string;
  refusesUse = "commit";
  assert.equal(decider.decide("files.commit", { id }).code, "toy.closed");
  assert.deepEqual(
    asked.filter((each) => each.startsWith("commit")),
    ["commit export/p"],
  );
});
