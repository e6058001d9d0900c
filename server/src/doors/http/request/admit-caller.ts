/** The caller of a request: its headers, and the gate's answer. */
import type { Socket } from "node:net";
import type { FastifyRequest } from "fastify";
import { defined } from "@holdfast/sdk/base/defined";
import type { CallOptions } from "@holdfast/sdk";
import { bearerToken } from "../../../access/bearer-token.ts";
import { admitLatest, isRejection } from "../../../access/gate.ts";
import type { AdmittedCaller, Gate } from "../../../access/gate.ts";
import { isLoopback } from "../../../access/is-loopback.ts";
import { HttpProblem } from "../response/http-problem.ts";

const connections = new WeakMap<Socket, string>();
let connectionCount = 0;

export async function admitCaller(gate: Gate, request: FastifyRequest): Promise<AdmittedCaller> {
  const { socket } = request.raw;
  const token = bearerToken(single(request, "authorization"));
  const caller = await admitLatest(gate, {
    token,
    isLoopback: isLoopback(socket.remoteAddress),
    connection: connectionOf(socket),
    door: "http",
  });
  if (isRejection(caller)) throw new HttpProblem(caller.code, caller.data);
  return caller;
}

/** The calling agent, if there is one. */
export function agentOf(request: FastifyRequest): Pick<CallOptions, "agent" | "agentSecret"> {
  const agent = single(request, "x-agent-id");
  const agentSecret = single(request, "x-agent-secret");
  return defined({ agent, agentSecret });
}

/** The trace and the retry cause of a call. Malformed values are ignored and never refused. */
export function readTrace({ headers }: FastifyRequest): Pick<CallOptions, "trace" | "retry"> {
  const { traceparent, "holdfast-retry": retry } = headers;
  const trace = typeof traceparent === "string" ? traceparent : undefined;
  const cause: CallOptions["retry"] | undefined = retry === "deadlock" || retry === "conflict" ? retry : undefined;
  return defined({ trace, retry: cause });
}

/**
 * The required freshness of a read. An unknown value is refused: a caller that asks for the latest must not get less.
 */
export function readsOf(request: FastifyRequest): Pick<CallOptions, "reads"> {
  const reads = single(request, "holdfast-reads");
  if (reads === undefined) return {};
  if (reads === "latest" || reads === "local") return { reads };
  throw new HttpProblem("request_malformed", { reason: "Header Holdfast-Reads must be latest or local" });
}

/** A repeated header is ambiguous. */
function single({ raw }: FastifyRequest, name: string): string | undefined {
  const values = raw.headersDistinct[name];
  if (values === undefined) return undefined;
  const [value = "", ...more] = values;
  if (more.length > 0) throw new HttpProblem("request_malformed", { reason: `Header ${name} is sent more than once` });
  if (value === "" || value.length > 512)
    throw new HttpProblem("request_malformed", { reason: `Header ${name} is empty or longer than 512 characters` });
  return value;
}

function connectionOf(socket: Socket): string {
  const known = connections.get(socket);
  if (known !== undefined) return known;
  const name = `http-${String(++connectionCount)}`;
  connections.set(socket, name);
  return name;
}
