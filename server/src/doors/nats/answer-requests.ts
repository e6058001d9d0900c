/** Plain request and reply: no stream keeps these messages, so the sender's own reply address is the one that is answered. */
import type { Msg, NatsConnection } from "@nats-io/transport-node";
import { meshSubjects } from "@holdfast/sdk/contract";
import type { Counts } from "./counts.ts";
import { handleCommand } from "./handle-command.ts";
import type { CommandPlace } from "./handle-command.ts";
import type { MeshEvent } from "./mesh-event.ts";
import { headersOf } from "./send-answer.ts";

export interface RequestPlace extends CommandPlace {
  readonly nc: NatsConnection;
  readonly counts: Counts;
  readonly repeat: (event: MeshEvent, position: number) => Promise<void>;
  readonly report: (message: string, cause: unknown) => void;
}

/** All runtimes listen as one group: each request is answered by one of them. */
export function answerRequests(place: RequestPlace): { stop(): Promise<void> } {
  const inFlight = new Set<Promise<void>>();
  const subscription = place.nc.subscribe(`${meshSubjects.request}.>`, {
    queue: "holdfast",
    callback: (error, message) => {
      if (error !== null) {
        place.report("requests over NATS are not heard", error);
        return;
      }
      const work = answer(place, message).finally(() => inFlight.delete(work));
      inFlight.add(work);
    },
  });
  return {
    async stop() {
      if (!place.nc.isClosed()) subscription.unsubscribe();
      await Promise.all(inFlight);
    },
  };
}

async function answer(place: RequestPlace, message: Msg): Promise<void> {
  place.counts.requests += 1;
  try {
    const { answer: given, replayed, position } = await handleCommand(place, message);
    message.respond(given.text, { headers: headersOf(given.headers) });
    // Whoever asks waits for the answer alone.
    if (replayed === true && given.event !== undefined) await place.repeat(given.event, position ?? 0);
  } catch (error) {
    place.report("a request over NATS could not be dealt with", error);
  }
}
