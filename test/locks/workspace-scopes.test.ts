import assert from "node:assert/strict";
import type { Client, DeniedLock, Lock, LockScope } from "holdfast";
import { promise, promiseOnEveryStore } from "../api/with-client.ts";

const numbers = Array.from({ length: 20 }, (_, number) => number);
const project = "project/p";
const mapOf = (number: number): string => `${project}/map/m${number % 2}`;
const sketchOf = (number: number): string => `${mapOf(number)}/sketch/s${number}`;

type Attempt = Lock | DeniedLock;

/** An agent that edits one sketch. */
const edits = (client: Client, number: number): Promise<Attempt> =>
  client.agent().tryAcquire(sketchOf(number), { mode: "write", scope: "self" });

/** An agent that views the project and both maps. */
const views = (client: Client): Promise<Attempt> =>
  client.agent().tryAcquire([project, mapOf(0), mapOf(1)], { mode: "read", scope: "self" });

const writes = async (client: Client, path: string, scope: LockScope): Promise<boolean> => {
  const attempt = await client.agent().tryAcquire(path, { mode: "write", scope });
  await attempt[Symbol.asyncDispose]();
  return attempt.granted;
};

const denialsOf = (attempts: readonly Attempt[]): readonly string[] =>
  attempts.flatMap((attempt) => (attempt.granted ? [] : [attempt.message]));

promiseOnEveryStore(
  "20 agents edit 20 sketches of one project while 20 view the project and its maps, and none is denied [W4]",
  async (client) => {
    const asked = numbers.flatMap((number) => [edits(client, number), views(client)]);
    assert.deepEqual(denialsOf(await Promise.all(asked)), []);
  },
);

promise(
  "a write of a whole map is denied while one of its sketches is edited, and a write of the record is not [W4]",
  async (client) => {
    const edit = await edits(client, 0);
    assert.equal(await writes(client, mapOf(0), "tree"), false);
    assert.equal(await writes(client, mapOf(0), "self"), true);
    assert.equal(await writes(client, mapOf(1), "tree"), true, "no sketch of the other map is edited");
    assert.equal(await writes(client, project, "tree"), false);
    await edit[Symbol.asyncDispose]();
    assert.equal(await writes(client, mapOf(0), "tree"), true);
  },
);

promise(
  "a write of a whole map denies edits of its sketches and views of the map, and names its holder [W4]",
  async (client) => {
    const importer = client.agent({ name: "importer" });
    await using held = await importer.acquire(mapOf(0), { mode: "write", scope: "tree" });
    assert.equal(held.granted, true);
    const [edit, view, elsewhere] = [await edits(client, 0), await views(client), await edits(client, 1)];
    for (const attempt of [edit, view])
      assert.match(denialsOf([attempt]).join(), /^project.* importer has a write lock/u);
    assert.equal(elsewhere.granted, true, "a sketch of the other map");
  },
);
