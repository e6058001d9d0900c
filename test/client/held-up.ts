import { createClient } from "holdfast";
import type { Client, Transport } from "holdfast";
import { transportOf } from "../../server/src/assembly/open.ts";
import { ManualClock } from "../engine/manual-clock.ts";
import type { ClientNode } from "./client-node.ts";
import { clientTime } from "./client-time.ts";

export interface HeldUp {
  readonly client: Client;
  /** The client's own: a node and a client that is stopped do not see the same time pass. */
  readonly clock: ManualClock;
  /** What the client has sent since it was made. */
  readonly sent: readonly string[];
  /** Whether calls go out, whether their answers come in, and whether what else the server tells does. */
  readonly ways: { areCallsHeldUp: boolean; areAnswersHeldUp: boolean; areEventsHeldUp: boolean };
  /** Lets through what was held up. */
  flow(): void;
}

/** A client on the network's other side, whose calls and events can be held up. */
export function heldUp(node: ClientNode, name: string): HeldUp {
  const inner = transportOf(node.services);
  const clock = new ManualClock();
  const ways = { areCallsHeldUp: false, areAnswersHeldUp: false, areEventsHeldUp: false };
  let waiting: (() => void)[] = [];
  const sent: string[] = [];
  const free = async (way: keyof typeof ways): Promise<void> => {
    while (ways[way]) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const transport: Transport = {
    ...inner,
    async call(operation, input, options) {
      sent.push(operation);
      await free("areCallsHeldUp");
      const reply = await inner.call(operation, input, options);
      await free("areAnswersHeldUp");
      return reply;
    },
    async *watch(options) {
      for await (const page of inner.watch(options)) {
        await free("areEventsHeldUp");
        yield page;
      }
    },
    notices: (query) => inner.notices(query),
    cursor: () => inner.cursor(),
    close: () => inner.close(),
  };
  const time = clientTime(clock, () => `${name}-${sent.length}`);
  return {
    ...{ clock, sent, ways },
    client: createClient(transport, { clock: time, name }),
    flow() {
      ways.areCallsHeldUp = false;
      ways.areAnswersHeldUp = false;
      ways.areEventsHeldUp = false;
      for (const go of waiting) go();
      waiting = [];
    },
  };
}
