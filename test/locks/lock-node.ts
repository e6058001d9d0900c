import type { Client, Granted, Queued } from "holdfast";
import type { MemoryDisk } from "../../server/src/journal/memory/disk.ts";
import type { ManualClock } from "../engine/manual-clock.ts";
import { loopTicks } from "../engine/manual-clock.ts";
import { startNode } from "../engine/start-node.ts";
import type { TestNode } from "../engine/start-node.ts";

export interface LockNode extends TestNode {
  /** A client that acts as a new agent of this name. */
  agent(name: string): Promise<Client & { readonly id: string }>;
  stop(): Promise<void>;
}

/** A node past its start-up grace, with a clock that the test moves. */
export async function lockNode(
  options: { disk?: MemoryDisk; clock?: ManualClock; inGrace?: true } = {},
): Promise<LockNode> {
  const node = await startNode(options);
  if (options.inGrace !== true) await node.clock.pass(10_000, 500);
  return {
    ...node,
    async agent(name) {
      const registered = await node.client.agents.register({ name, purpose: `work of ${name}` });
      return { ...node.client.as(registered), id: registered.agentId };
    },
    stop: () => node.engine.stop(),
  };
}

/** Awaits work that the clock has to trigger. */
export async function after<Result>(node: TestNode, work: Promise<Result>, ms = 300): Promise<Result> {
  await node.clock.pass(ms);
  await loopTicks(5);
  return work;
}

export function granted(answer: Granted | Queued): Granted {
  if (!answer.granted) throw new Error(`queued instead of granted: ${JSON.stringify(answer)}`);
  return answer;
}

export function queued(answer: Granted | Queued): Queued {
  if (answer.granted) throw new Error(`granted instead of queued: ${JSON.stringify(answer)}`);
  return answer;
}
