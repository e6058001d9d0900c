import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openFolder, startEngine } from "../../server/src/assembly/open.ts";
import { inEmptyFolder, startProgram } from "../scenario/program.ts";
import { MeshAgent } from "./mesh-client.ts";
import { originals, scoped, startMeshNode } from "./mesh-node.ts";
import { startNats } from "./private-nats.ts";

test(
  "a command is redelivered after a crash between its entry and its acknowledgement, changes nothing, and gets the same answer [M4 M11]",
  inEmptyFolder(async (folder) => {
    await using nats = await startNats();
    const dying = startProgram(join(import.meta.dirname, "dying-runtime.ts"), [folder, nats.url]);
    await dying.line(/^up$/u);
    await using agent = await MeshAgent.connect(nats.url);
    // Without a key, the sequence in the stream identifies the command.
    const answer = agent.command("cmd.plan.create", { entity_id: "1", value: { n: 1 } });
    assert.equal((await dying.ended).signal, "SIGKILL");
    await using running = scoped(await startEngine({ journal: await openFolder(folder) }));
    const { engine } = running;
    assert.equal(engine.head.position, 1, "the entry is durable");
    await using _node = await startMeshNode(nats.url, { engine });
    const { data, headers } = await answer;
    assert.equal(headers["Holdfast-Replayed"], "true");
    assert.equal(headers["Holdfast-Position"], "1");
    assert.equal((data["outcome"] as { data: { version: number } }).data.version, 1);
    assert.equal(engine.head.position, 1, "the redelivered command appended no entry");
    const events = await agent.events((all) => all.length === 2);
    assert.deepEqual(
      events.map(({ subject }) => subject),
      ["evt.plan.created", "evt.plan.created"],
    );
    assert.deepEqual(events[1]?.data, events[0]?.data);
    assert.equal(originals(events).length, 1);
  }),
);
