/** The HTTP door. It parses, asks the gate who it is, calls the operation, and turns the reply into a response. */
import type { Server } from "node:http";
import Fastify from "fastify";
import type { Gate } from "../../access/gate.ts";
import { addCommandRoute } from "./command-route.ts";

/** What `/health` tells. */
export interface Health {
  readonly live: boolean;
  readonly ready: boolean;
  readonly reasons: readonly string[];
  readonly position: number;
  readonly epoch: number;
}

export interface HttpDoorOptions {
  readonly host: string;
  readonly port: number;
  readonly gate: Gate;
  readonly health: () => Promise<Health>;
}

export interface HttpDoor {
  readonly url: string;
  /** The socket door listens on the same port. */
  readonly server: Server;
  close(): Promise<void>;
}

export async function openHttpDoor(options: HttpDoorOptions): Promise<HttpDoor> {
  const app = Fastify();
  addCommandRoute(app, options.gate);
  app.get("/health", () => options.health());
  const url = await app.listen({ host: options.host, port: options.port });
  return { url, server: app.server, close: () => app.close() };
}
