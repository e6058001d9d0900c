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

export interface ScriptedClient {
  readonly client: Client;
  readonly clock: ManualClock;
  readonly sent: SentCall[];
}

/** A client of a server whose replies the test chooses. */
export function scriptedClient(
  answer: (call: SentCall, count: number) => CallReply["outcome"],
  more: ClientOptions = {},
): ScriptedClient {
  const clock = new ManualClock();
  const sent: SentCall[] = [];
  const transport: Transport = {
    async call(operation, input, options) {
      const call = { operation, input, options, atMs: clock.monotonicMs() };
      sent.push(call);
      return { outcome: answer(call, sent.length), position: 1, replayed: false, events: [] };
    },
    watch() {
      throw new Error("this transport has no events");
    },
    notices() {
      throw new Error("this transport has no notices");
    },
    cursor: () => Promise.resolve("1.1"),
    close: () => Promise.resolve(),
  };
  let ids = 0;
  const time = clientTime(clock, () => `key-${(ids += 1)}`);
  const remote = { urls: ["http://127.0.0.1:1"] };
  return { client: createClient(transport, { clock: time, remote, ...more }), clock, sent };
}
