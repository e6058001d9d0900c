/**
 * The door for callers in the same process, and the one that all other doors stand on: it checks input once, keeps
 * internal operations inside, adds to an outcome what history knows, and hands out copies only.
 */
import type { Transport } from "@holdfast/sdk";
import { callAs } from "./agent-calls.ts";
import type { AgentDoor } from "./agent-door.ts";
import type { CallPlace } from "./call-operation.ts";
import { cursorAt, watch } from "./watch.ts";

export interface InProcessOptions extends CallPlace {
  /** What is known of agents, shared by all clients of an engine. */
  readonly agents: AgentDoor;
  readonly close: () => Promise<void>;
}

export function inProcessTransport(options: InProcessOptions): Transport {
  const { engine, close } = options;
  return {
    call: (operation, input, call) => callAs(options, operation, input, call),
    watch: ({ after }) => watch(engine, after),
    cursor: () => engine.read((state) => cursorAt(state, engine.head.position)),
    close,
  };
}
