import { createClient, HoldfastError } from "holdfast";
import type { CallReply, Client, ClientOptions, Transport } from "holdfast";
import { transportOf } from "../../server/src/assembly/open.ts";
import type { ClientNode } from "./client-node.ts";
import { clientTime } from "./client-time.ts";

/**
 * The loss of a call: it is never sent, or it is executed and its reply is lost. Undefined means that it is answered.
 */
export type CallLoss = "unsent" | "unanswered" | undefined;

export interface LossyClient {
  readonly client: Client;
  /** Operations sent since the client was created, in order. */
  readonly sent: readonly string[];
  /** Chooses the loss for each call, and whether a new listener of notices is refused. */
  readonly network: { lossOf: (operation: string) => CallLoss; refusesListeners: boolean };
}

/** A client on the clock of a node, over a network that loses the calls that the test chooses. */
export function lossyClient(node: ClientNode, name: string, options: ClientOptions = {}): LossyClient {
  const inner = transportOf(node.services);
  const network: LossyClient["network"] = { lossOf: () => undefined, refusesListeners: false };
  const sent: string[] = [];
  let ids = 0;
  const transport: Transport = {
    ...inner,
    async call(operation, input, call) {
      sent.push(operation);
      const loss = network.lossOf(operation);
      if (loss === "unsent") return lost("unreachable");
      const reply = await inner.call(operation, input, call);
      return loss === "unanswered" ? lost("outcome_unknown") : reply;
    },
    notices(query) {
      const notices = inner.notices(query);
      if (!network.refusesListeners) return notices;
      return { ...notices, next: () => Promise.reject(new HoldfastError("watch", "watch_limit")) };
    },
  };
  const clock = clientTime(node.clock, () => `${name}-${(ids += 1)}`);
  return { client: createClient(transport, { clock, name, ...options }), sent, network };
}

function lost(code: string): CallReply {
  return { outcome: { kind: "refusal", code, data: {} }, position: 0, replayed: false, events: [] };
}
