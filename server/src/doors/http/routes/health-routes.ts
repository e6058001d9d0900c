import { emptyInput } from "@holdfast/sdk/json/canonical";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Gate } from "../../../access/gate.ts";
import { HttpProblem } from "../response/http-problem.ts";
import { sendJson } from "../response/send.ts";
import { admitVisitor } from "../request/visitor.ts";

/** What `/health` tells. */
export interface Health {
  readonly live: boolean;
  readonly ready: boolean;
  /** Why it is not ready. */
  readonly reasons: readonly string[];
  /** The name of this node, made at its start. */
  readonly node: string;
  readonly version: string;
  readonly journal: "sqlite" | "postgres";
  /** How many nodes share the journal, this one included. */
  readonly nodes: number;
  /** The last entry that is folded here. */
  readonly position: number;
  /** How far that is behind the head of a shared journal, and how old this knowledge is. */
  readonly lag: { readonly entries: number; readonly heard_ms_ago: number };
  /** Not known while the state is folded again. */
  readonly epoch: number | null;
  readonly rules: number | null;
  /** Parts of it that may have trouble of their own while the rest is ready. */
  readonly components?: Readonly<Record<string, { readonly ready: boolean; readonly reasons: readonly string[] }>>;
}

export interface HealthOptions {
  readonly health: () => Promise<Health>;
  /** The figures, in the text format of Prometheus. */
  readonly metricsText?: () => Promise<string>;
}

/** For whoever watches over the server. Health needs no token; figures are for those who may read. */
export function addHealthRoutes(app: FastifyInstance, options: HealthOptions & { readonly gate: Gate }): void {
  const { health, metricsText, gate } = options;
  app.get("/health", async (_request, reply) => {
    const state = await health();
    return sendJson(reply, state.ready ? 200 : 503, state);
  });
  app.get("/health/live", async (_request, reply) => sendJson(reply, 200, { live: true }));
  if (metricsText === undefined) return;
  app.get("/metrics", async (request, reply) => {
    await admitReader(gate, request);
    return reply.header("content-type", "text/plain; version=0.0.4; charset=utf-8").send(await metricsText());
  });
}

/** They name no one, but how busy who is through which door is nobody's business who may not look at the state. */
async function admitReader(gate: Gate, request: FastifyRequest): Promise<void> {
  const { transport } = await admitVisitor(gate, request);
  const { outcome } = await transport.call("list-agents", { ...emptyInput, limit: 1 }, { inputBytes: 0 });
  if (outcome.kind === "refusal") throw new HttpProblem(outcome.code, outcome.data);
}
