import type { FastifyInstance } from "fastify";
import { isTurned } from "../../access/gate.ts";
import type { Gate } from "../../access/gate.ts";

/** Any operation by name, with the whole reply as the body. */
export function addCommandRoute(app: FastifyInstance, gate: Gate): void {
  app.post("/v1/commands", async (request, reply) => {
    const caller = gate.admit({ isLoopback: true, connection: request.ip, door: "http" });
    if (isTurned(caller)) return reply.code(403).send(caller);
    const { operation, input } = request.body as { readonly operation: string; readonly input: unknown };
    return caller.transport.call(operation, input, {});
  });
}
