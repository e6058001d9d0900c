import { createClient } from "holdfast";
import type { CallOptions, CallReply, Client, ClientOptions, Transport } from "holdfast";
import { ManualClock } from "../engine/manual-clock.ts";
import { clientTime } from "./client-time.ts";

export interface SentCall {
  readonly operation: string;
  readonly input: unknown;
  readonly options: CallOptions;
  readonly atMs: number;
}

export interface Scripted {
  readonly client: Client;
  readonly clock: ManualClock;
  readonly sent: SentCall[];
}

/** A client of a server that answers what the test says, over a network whose answers may get lost. */
export function scripted(
  answer: (call: SentCall, count: number) => CallReply["outcome"],
  more: ClientOptions = {},
): Scripted {
  const clock = new ManualClock();
  const sent: SentCall[] = [];
  const transport: Transport = {
    async call(operation, input, options) {
      const call = { operation, input, options, atMs: clock.monotonicMs() };
      sent.push(call);
      return { outcome: answer(call, sent.length), position: 1, replayed: false, events: [] };
    },
    watch() {
      throw new Error("nobody watches here");
    },
    notices() {
      throw new Error("nobody listens here");
    },
    cursor: () => Promise.resolve("1.1"),
    close: () => Promise.resolve(),
  };
  let ids = 0;
  const time = clientTime(clock, () => `key-${(ids += 1)}`);
  const remote = { urls: ["http://127.0.0.1:1"] };
  return { client: createClient(transport, { clock: time, remote, ...more }), clock, sent };
}
