import { emptyInput } from "@holdfast/sdk/json/canonical";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Gate } from "../../../access/gate.ts";
import { callOnce } from "../../../operations/call.ts";
import { recordOf } from "../../../operations/registry.ts";
import type { OperationRegistry } from "../../../operations/registry.ts";
import { HttpProblem } from "../response/http-problem.ts";
import { sendJson } from "../response/send.ts";
import { admitCaller } from "../request/admit-caller.ts";

/** The body of `/health`. */
export interface Health {
  readonly live: boolean;
  readonly ready: boolean;
  /** The reasons why the node is not ready. */
  readonly reasons: readonly string[];
  /** The id of this node, made at its start. */
  readonly node: string;
  readonly version: string;
  readonly journal: "sqlite" | "postgres";
  /** Number of nodes that share the journal, this one included. */
  readonly nodes: number;
  /** Position of the last folded entry. */
  readonly position: number;
  /** Lag behind the head of a shared journal, and the age of this information. */
  readonly lag: { readonly entries: number; readonly age_ms: number };
  /** Unknown while the state is being folded again. */
  readonly epoch: number | null;
  readonly rules: number | null;
  /** Parts that may fail on their own while the rest is ready. */
  readonly components?: Readonly<Record<string, PartStatus>>;
  /** Services, by name. A failing one is started again and does not make the node unready. */
  readonly services: Readonly<Record<string, PartStatus & { readonly restarts: number }>>;
  /** The queue of jobs. Unknown while the node is not ready. */
  readonly jobs: JobHealth | null;
  /** Unfinished checks outside the machine, and threads of checks that ended by themselves. */
  readonly checks: { readonly waiting: number; readonly restarts: number };
}

interface JobHealth {
  /** Workers with an offer or with running jobs. */
  readonly workers: number;
  readonly running: number;
  readonly ready: number;
  readonly failed: number;
  /** Age of the oldest job that may start; null if there is none. */
  readonly oldest_ready_ms: number | null;
}

interface PartStatus {
  readonly ready: boolean;
  readonly reasons: readonly string[];
}

export interface HealthOptions {
  readonly health: () => Promise<Health>;
  /** The metrics in the text format of Prometheus. */
  readonly metricsText?: () => Promise<string>;
}

interface Admission {
  readonly gate: Gate;
  readonly operations: OperationRegistry;
}

/** For monitoring. Health needs no token. Metrics need the right to read. */
export function addHealthRoutes(app: FastifyInstance, options: HealthOptions & Admission): void {
  const { health, metricsText } = options;
  app.get("/health", async (_request, reply) => {
    const state = await health();
    return sendJson(reply, state.ready ? 200 : 503, state);
  });
  app.get("/health/live", async (_request, reply) => sendJson(reply, 200, { live: true }));
  if (metricsText === undefined) return;
  app.get("/metrics", async (request, reply) => {
    await admitReader(options, request);
    return reply.header("content-type", "text/plain; version=0.0.4; charset=utf-8").send(await metricsText());
  });
}

/** Metrics name no caller, but the load of each door is visible only to callers that may read the state. */
async function admitReader({ gate, operations }: Admission, request: FastifyRequest): Promise<void> {
  const { calls } = await admitCaller(gate, request);
  const record = recordOf(operations, "list-agents");
  const { outcome } = await callOnce(calls, { record, input: { ...emptyInput, limit: 1 }, options: { inputBytes: 0 } });
  if (outcome.kind === "refusal") throw new HttpProblem(outcome.code, outcome.data);
}
