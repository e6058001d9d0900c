import type { JetStreamManager, JsMsg } from "@nats-io/jetstream";
import { meshHeaders, meshSubjects } from "@holdfast/sdk/contract";
import type { NatsCounters } from "./nats-counters.ts";
import { natsHeaders } from "./send-answer.ts";
import { ensureParkedStream } from "./streams.ts";

/** What nobody should find in a stream for operators. */
const secrets = new Set(
  [meshHeaders.authorization, meshHeaders.token, meshHeaders.agentSecret].map((name) => name.toLowerCase()),
);

/**
 * Puts a command that nobody can read aside, as it came but without its secrets, where an operator finds it. Only when it
 * is there does it leave the stream of commands.
 */
export async function parkCommand(
  options: { readonly jsm: JetStreamManager; readonly counters: NatsCounters },
  message: JsMsg,
  why: { readonly code: string; readonly key: string },
): Promise<void> {
  const { jsm, counters } = options;
  await ensureParkedStream(jsm);
  const kept = [...(message.headers ?? [])]
    // What the server itself reads in headers was meant for the first stream, not for this one.
    .filter(([name]) => !secrets.has(name.toLowerCase()) && !name.toLowerCase().startsWith("nats-"))
    .map(([name, values]) => [name, values.join(", ")] as const);
  const headers = natsHeaders({
    ...Object.fromEntries(kept),
    [meshHeaders.parkedFor]: why.code,
    [meshHeaders.parkedFrom]: `${message.info.stream}:${message.seq}`,
  });
  // With the id it is there once, if it is parked again because this runtime stopped in between.
  await jsm.jetstream().publish(`${meshSubjects.parked}.${message.subject}`, message.data, { headers, msgID: why.key });
  counters.parked += 1;
}
