/** Journal bytes of agents that hold nothing and only beat, counted over hours of a clock that the benchmark moves. */
import type { Client } from "holdfast";
import { startNode } from "../test/engine/start-node.ts";
import type { MemoryStore } from "../server/src/journal/memory/disk.ts";

const beatEveryMs = 10_000;
const stepMs = 1_000;
const hourMs = 3_600_000;

/** Journal bytes of a day, computed from the last of `hours`. In the first hour all agents are new at the same time. */
export async function idleAgentBytes(agentCount: number, hours: number): Promise<number> {
  const node = await startNode();
  const agents: Client[] = [];
  for (let index = 0; index < agentCount; index += 1) {
    agents.push(node.client.as(await node.client.agents.register({ name: `agent ${index}` })));
    // They did not all start at once.
    if (index % 10 === 9) await node.clock.pass(stepMs, stepMs);
  }
  const slices = beatEveryMs / stepMs;
  const beats = async (durationMs: number): Promise<void> => {
    for (let step = 0; step < durationMs / stepMs; step += 1) {
      const due = agents.filter((_, index) => index % slices === step % slices);
      await Promise.all(due.map((agent) => agent.agents.heartbeat()));
      await node.clock.pass(stepMs, stepMs);
    }
  };
  await beats((hours - 1) * hourMs);
  const before = journalBytes(node.disk as MemoryStore);
  await beats(hourMs);
  const bytes = journalBytes(node.disk as MemoryStore) - before;
  const { items } = await node.client.agents.list({ limit: 1 });
  if (items.length === 0) throw new Error("the agents have ended, though they sent heartbeats");
  await node.engine.stop();
  return 24 * bytes;
}

function journalBytes({ batches }: MemoryStore): number {
  return batches.reduce((sum, { lines }) => sum + Buffer.byteLength(lines), 0);
}
