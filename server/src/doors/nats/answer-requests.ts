/** Plain request and reply. No stream stores these messages, so the answer goes to the reply subject of the message. */
import type { Msg, NatsConnection } from "@nats-io/transport-node";
import { meshSubjects } from "@holdfast/sdk/contract";
import type { NatsCounters } from "./nats-counters.ts";
import { handleCommand } from "./handle-command.ts";
import type { CommandHandlerOptions } from "./handle-command.ts";
import type { MeshEvent } from "./mesh-event.ts";
import type { DroppedRequests } from "./dropped-requests.ts";
import { natsHeaders } from "./send-answer.ts";

interface RequestHandlerOptions extends CommandHandlerOptions {
  readonly nc: NatsConnection;
  readonly counters: NatsCounters;
  readonly dropped: DroppedRequests;
  readonly repeat: (event: MeshEvent, position: number) => Promise<void>;
  readonly report: (message: string, cause: unknown) => void;
}

/** All runtimes subscribe as one queue group, so that exactly one of them answers each request. */
export function answerRequests(options: RequestHandlerOptions): { stop(): Promise<void> } {
  const inFlight = new Set<Promise<void>>();
  const subscription = options.nc.subscribe(`${meshSubjects.request}.>`, {
    queue: "holdfast",
    callback: (error, message) => {
      if (error !== null) {
        options.report("the subscription to NATS requests failed", error);
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
  const { subject, reply = "" } = message;
  // The command is not run either: its sender could not know the outcome. Without a reply address none is expected.
  if (reply !== "" && !options.replies.allows(reply)) {
    options.counters.droppedRequests += 1;
    options.dropped.record({ subject, reply });
    return;
  }
  try {
    const { answer: sent, replayed, position } = await handleCommand(options, message);
    message.respond(sent.text, { headers: natsHeaders(sent.headers) });
    // The requester waits only for the answer, so the event is published afterwards.
    if (replayed === true && sent.event !== undefined) await options.repeat(sent.event, position ?? 0);
  } catch (error) {
    options.report("a request over NATS failed", error);
  }
}
