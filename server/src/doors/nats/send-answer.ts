import { headers as newHeaders } from "@nats-io/transport-node";
import type { NatsConnection } from "@nats-io/transport-node";
import type { CommandAnswer } from "./command-answer.ts";

/** Sends an answer once. A sender that missed it repeats the command with the same key. */
export function sendAnswer(nc: NatsConnection, address: string, { text, headers }: CommandAnswer): void {
  if (nc.isClosed()) return;
  nc.publish(address, text, { headers: natsHeaders(headers) });
}

export function natsHeaders(headers: CommandAnswer["headers"]) {
  const list = newHeaders();
  for (const [name, value] of Object.entries(headers)) list.set(name, value);
  return list;
}
