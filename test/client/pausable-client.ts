import { createClient } from "holdfast";
import type { Client, Transport } from "holdfast";
import { transportOf } from "../../server/src/assembly/open.ts";
import { ManualClock } from "../engine/manual-clock.ts";
import type { ClientNode } from "./client-node.ts";
import { clientTime } from "./client-time.ts";

export interface PausableClient {
  readonly client: Client;
  /** The client's own clock. A node and a suspended client do not see the same time pass. */
  readonly clock: ManualClock;
  /** Operations that the client has sent since it was created. */
  readonly sent: readonly string[];
  /** Whether calls, replies and events are paused. */
  readonly pauses: { areCallsPaused: boolean; areRepliesPaused: boolean; areEventsPaused: boolean };
  /** Resumes all paused traffic. */
  resume(): void;
}

/** A client across a network, whose calls, replies and events can be paused. */
export function pausableClient(node: ClientNode, name: string): PausableClient {
  const inner = transportOf(node.services);
  const clock = new ManualClock();
  const pauses = { areCallsPaused: false, areRepliesPaused: false, areEventsPaused: false };
  let waiting: (() => void)[] = [];
  const sent: string[] = [];
  const free = async (traffic: keyof typeof pauses): Promise<void> => {
    while (pauses[traffic]) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const transport: Transport = {
    ...inner,
    async call(operation, input, options) {
      sent.push(operation);
      await free("areCallsPaused");
      const reply = await inner.call(operation, input, options);
      await free("areRepliesPaused");
      return reply;
    },
    async *watch(options) {
      for await (const page of inner.watch(options)) {
        await free("areEventsPaused");
        yield page;
      }
    },
    notices: (query) => inner.notices(query),
    cursor: () => inner.cursor(),
    close: () => inner.close(),
  };
  const time = clientTime(clock, () => `${name}-${sent.length}`);
  return {
    ...{ clock, sent, pauses },
    client: createClient(transport, { clock: time, name }),
    resume() {
      pauses.areCallsPaused = false;
      pauses.areRepliesPaused = false;
      pauses.areEventsPaused = false;
      for (const go of waiting) go();
      waiting = [];
    },
  };
}
