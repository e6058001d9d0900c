import assert from "node:assert/strict";
import { test } from "node:test";
import { shareJournal } from "../nodes/postgres-nodes.ts";
import { startPostgres } from "../scenario/private-postgres.ts";
import { MeshAgent, type MeshMessage } from "./mesh-client.ts";
import { originals, positionOf, startMeshNode } from "./mesh-node.ts";
import { startNats } from "./private-nats.ts";
import { counts } from "../prove/counts.ts";

const rounds = counts.meshRaces;
const agentCount = 12;

/** In each round all agents change the same entity and expect the same version. */
async function race(agents: readonly MeshAgent[]): Promise<void> {
  const [first] = agents as [MeshAgent];
  await first.command("cmd.counter.create", { entity_id: "1", value: { by: -1 } });
  for (let round = 1; round <= rounds; round += 1) {
    const answers = await Promise.all(
      agents.map((agent, by) =>
        agent.command("cmd.counter.replace", { entity_id: "1", value: { round, by }, expected_version: round }),
      ),
    );
    const count = (name: string): number => answers.filter(({ headers }) => headers["Holdfast-Event"] === name).length;
    assert.equal(count("evt.counter.changed"), 1, `round ${String(round)}`);
    assert.equal(count("evt.counter.conflict"), agents.length - 1, `round ${String(round)}`);
  }
}

function assertPublishedOnce(events: readonly MeshMessage[]): void {
  const published = originals(events);
  const count = (name: string): number => published.filter(({ subject }) => subject === name).length;
  assert.equal(count("evt.counter.changed"), rounds);
  assert.equal(count("evt.counter.conflict"), rounds * (agentCount - 1));
  const positions = published.map(({ headers }) => Number(headers["Holdfast-Position"]));
  assert.deepEqual(
    positions,
    positions.toSorted((a, b) => a - b),
  );
  assert.equal(new Set(published.map(positionOf)).size, published.length);
}

const isOver = (events: readonly MeshMessage[]): boolean =>
  originals(events).filter(({ subject }) => /^evt\.counter\.(changed|conflict)$/u.test(subject)).length ===
  rounds * agentCount;

test("exactly one of many agents on a nats-server that expect the same version succeeds, and all others get a conflict [M12]", async () => {
  await using nats = await startNats();
  await using _node = await startMeshNode(nats.url);
  const agents = await Promise.all(Array.from({ length: agentCount }, () => MeshAgent.connect(nats.url)));
  await race(agents);
  assertPublishedOnce(await agents[0]!.events(isOver));
  await Promise.all(agents.map((agent) => agent[Symbol.asyncDispose]()));
});

test("exactly one of many agents succeeds with two runtimes on one Postgres journal, and each event is published once, in order [M11 M12 X7]", async () => {
  await using nats = await startNats();
  const postgres = await startPostgres();
  const shared = shareJournal(postgres);
  const engines = [(await shared.node()).engine, (await shared.node()).engine];
  const nodes = await Promise.all(engines.map((engine) => startMeshNode(nats.url, { engine })));
  const agents = await Promise.all(Array.from({ length: agentCount }, () => MeshAgent.connect(nats.url)));
  await race(agents);
  assert.ok(
    nodes.every(({ door }) => door.counters.commands > 0),
    "both runtimes must handle commands",
  );
  assertPublishedOnce(await agents[0]!.events(isOver));
  await Promise.all(agents.map((agent) => agent[Symbol.asyncDispose]()));
  for (const node of nodes) await node[Symbol.asyncDispose]();
  await shared.close();
  await postgres.stop();
});
