/** Plain request and reply: no stream keeps these messages, so the sender's own reply address is the one that is answered. */
import type { Msg, NatsConnection } from "@nats-io/transport-node";
import { meshSubjects } from "@holdfast/sdk/contract";
import type { NatsCounters } from "./nats-counters.ts";
import { handleCommand } from "./handle-command.ts";
import type { CommandHandlerOptions } from "./handle-command.ts";
import type { MeshEvent } from "./mesh-event.ts";
import { natsHeaders } from "./send-answer.ts";

export interface RequestHandlerOptions extends CommandHandlerOptions {
  readonly nc: NatsConnection;
  readonly counters: NatsCounters;
  readonly repeat: (event: MeshEvent, position: number) => Promise<void>;
  readonly report: (message: string, cause: unknown) => void;
}

/** All runtimes listen as one group: each request is answered by one of them. */
export function answerRequests(options: RequestHandlerOptions): { stop(): Promise<void> } {
  const inFlight = new Set<Promise<void>>();
  const subscription = options.nc.subscribe(`${meshSubjects.request}.>`, {
    queue: "holdfast",
    callback: (error, message) => {
      if (error !== null) {
        options.report("requests over NATS are not heard", error);
        return;
      }
      const work = answer(options, message).finally(() => inFlight.delete(work));
      inFlight.add(work);
    },
  });
  return {
    async stop() {
      if (!options.nc.isClosed()) subscription.unsubscribe();
      await Promise.all(inFlight);
    },
  };
}

async function answer(options: RequestHandlerOptions, message: Msg): Promise<void> {
  options.counters.requests += 1;
  try {
    const { answer: given, replayed, position } = await handleCommand(options, message);
    message.respond(given.text, { headers: natsHeaders(given.headers) });
    // Whoever asks waits for the answer alone.
    if (replayed === true && given.event !== undefined) await options.repeat(given.event, position ?? 0);
  } catch (error) {
    options.report("a request over NATS could not be dealt with", error);
  }
}
