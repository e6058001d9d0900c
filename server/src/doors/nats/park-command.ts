import type { JetStreamManager, JsMsg } from "@nats-io/jetstream";
import { meshHeaders, meshSubjects } from "@holdfast/sdk/contract";
import type { NatsCounters } from "./nats-counters.ts";
import { natsHeaders } from "./send-answer.ts";
import { ensureParkedStream } from "./streams.ts";

/** The headers that must not reach the parked stream. */
const secrets = new Set(
  [meshHeaders.authorization, meshHeaders.token, meshHeaders.agentSecret].map((name) => name.toLowerCase()),
);

/**
 * Moves an unreadable command to the parked stream for the operator, unchanged but without its secrets. It stays in the
 * command stream until the parked stream has stored it.
 */
export async function parkCommand(
  options: { readonly jsm: JetStreamManager; readonly counters: NatsCounters },
  message: JsMsg,
  reason: { readonly code: string; readonly key: string },
): Promise<void> {
  const { jsm, counters } = options;
  await ensureParkedStream(jsm);
  const kept = [...(message.headers ?? [])]
    // The headers for the nats-server applied to the command stream, not to this one.
    .filter(([name]) => !secrets.has(name.toLowerCase()) && !name.toLowerCase().startsWith("nats-"))
    .map(([name, values]) => [name, values.join(", ")] as const);
  const headers = natsHeaders({
    ...Object.fromEntries(kept),
    [meshHeaders.parkedFor]: reason.code,
    [meshHeaders.parkedFrom]: `${message.info.stream}:${message.seq}`,
  });
  // The id prevents a second copy if the command is parked again after a crash of this runtime.
  await jsm
    .jetstream()
    .publish(`${meshSubjects.parked}.${message.subject}`, message.data, { headers, msgID: reason.key });
  counters.parked += 1;
}
