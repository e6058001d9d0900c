import type { FastifyInstance } from "fastify";
import { sendJson } from "./send.ts";

/** What `/health` tells. */
export interface Health {
  readonly live: boolean;
  readonly ready: boolean;
  readonly reasons: readonly string[];
  readonly position: number;
  readonly epoch: number;
}

export interface HealthOptions {
  readonly health: () => Promise<Health>;
  /** The figures, in the text format of Prometheus. */
  readonly metricsText?: () => Promise<string>;
}

/** For whoever watches over the server. Both need no token, and tell nothing about anybody. */
export function addHealthRoutes(app: FastifyInstance, { health, metricsText }: HealthOptions): void {
  app.get("/health", async (_request, reply) => {
    const state = await health();
    return sendJson(reply, state.ready ? 200 : 503, state);
  });
  app.get("/health/live", async (_request, reply) => sendJson(reply, 200, { live: true }));
  if (metricsText === undefined) return;
  app.get("/metrics", async (_request, reply) =>
    reply.header("content-type", "text/plain; version=0.0.4; charset=utf-8").send(await metricsText()),
  );
}
