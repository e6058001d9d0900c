import { createClient } from "holdfast";
import type { CallReply, Client, ClientOptions, Transport } from "holdfast";
import { transportOf } from "../../server/src/assembly/open.ts";
import type { ClientNode } from "./client-node.ts";
import { clientTime } from "./client-time.ts";

/** What becomes of a call: it never leaves, or it is done and its answer gets lost; undefined: it is answered. */
export type Fate = "unsent" | "unanswered" | undefined;

export interface Lossy {
  readonly client: Client;
  /** What was sent since the client was made, in order. */
  readonly sent: readonly string[];
  /** Says it for each call. */
  readonly network: { fate: (operation: string) => Fate };
}

/** A client by the clock of a node, over a network that loses what the test says. */
export function lossy(node: ClientNode, name: string, options: ClientOptions = {}): Lossy {
  const inner = transportOf(node.services);
  const network: Lossy["network"] = { fate: () => undefined };
  const sent: string[] = [];
  let ids = 0;
  const transport: Transport = {
    ...inner,
    async call(operation, input, call) {
      sent.push(operation);
      const fate = network.fate(operation);
      if (fate === "unsent") return lost("unreachable");
      const reply = await inner.call(operation, input, call);
      return fate === "unanswered" ? lost("outcome_unknown") : reply;
    },
  };
  const clock = clientTime(node.clock, () => `${name}-${(ids += 1)}`);
  return { client: createClient(transport, { clock, name, ...options }), sent, network };
}

function lost(code: string): CallReply {
  return { outcome: { kind: "refusal", code, data: {} }, position: 0, replayed: false, events: [] };
}
