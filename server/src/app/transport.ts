/**
 * The door for callers in the same process, and the one that all other doors stand on: it checks input once, keeps
 * internal operations inside, adds to an outcome what history knows, and hands out copies only.
 */
import type { Transport, WatchedEvent } from "@holdfast/sdk";
import type { Clock } from "../base/clock.ts";
import type { Engine } from "../engine/engine.ts";
import { AgentCalls } from "./calls/agent-calls.ts";
import type { AgentDoor } from "./calls/agent-door.ts";
import type { CallPlace } from "./calls/call-operation.ts";
import { copyJson } from "./calls/copy-json.ts";
import { cursorAt } from "./watch/entry-events.ts";
import { unreadable } from "./calls/journal-refusal.ts";
import { noticeHubOf } from "./notices/notice-hub.ts";
import { watch } from "./watch/watch.ts";

export interface InProcessOptions extends CallPlace {
  /** What is known of agents, shared by all clients of an engine. */
  readonly agents: AgentDoor;
  /** Whether an agent must send its secret; a bare id is taken at its word otherwise. */
  readonly requiresAgentSecret?: boolean;
  /** For what is told by the time: that a lease nears its end, and a place at most once a second. */
  readonly clock: Clock;
  readonly close: () => Promise<void>;
}

export function inProcessTransport(options: InProcessOptions): Transport {
  const { engine, clock, close, sharesData = false } = options;
  const calls = new AgentCalls(options);
  return {
    call: (operation, input, call) => calls.call(operation, input, call),
    watch: (wanted) => (sharesData ? watch(engine, wanted) : copied(watch(engine, wanted))),
    notices: ({ owner }) => noticeHubOf(engine, clock).listen(owner),
    cursor: () => cursorOf(engine),
    close,
  };
}

async function cursorOf(engine: Engine): Promise<string> {
  try {
    return await engine.read((state) => cursorAt(state, engine.head.position));
  } catch (error) {
    throw unreadable(error, { operation: "cursor", position: engine.head.position });
  }
}

function copied(pages: ReturnType<typeof watch>): ReturnType<typeof watch> {
  return {
    ...pages,
    async next() {
      const page = await pages.next();
      return page.done === true ? page : { done: false, value: page.value.map(copyOf) };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function copyOf(event: WatchedEvent): WatchedEvent {
  return { ...event, data: copyJson(event.data as Parameters<typeof copyJson>[0]) };
}
