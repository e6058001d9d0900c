/**
 * Calls operations of a server with the members of the contract, one request per call. It does not use the client: a
 * command needs no connection that survives, no locks that renew themselves, and the time to load them.
 */
import type { allOperations, InputOf, OperationName, OutputOf } from "@holdfast/sdk/contract";
import type { CallReply, Reads } from "@holdfast/sdk";
import { addressesOf } from "@holdfast/sdk/address";
import { defined } from "@holdfast/sdk/base/defined";
import { callRefusal } from "@holdfast/sdk/call-refusal";
import { loadPackData, operationData } from "@holdfast/sdk/data/operation-data";
import type { FoundServer } from "@holdfast/sdk/found-server";
import { HoldfastError } from "@holdfast/sdk/holdfast-error";
import { readJson } from "@holdfast/sdk/json/read-json";
import { isRepeatable, needsKey } from "@holdfast/sdk/repeatable";
import { Retrier } from "@holdfast/sdk/retry";
import { systemClock } from "../../../base/clock.ts";
import { exchange, ExchangeError } from "./exchange.ts";

/** The agent in whose name a call is sent. */
export interface CallingAgent {
  readonly agent_id: string;
  readonly secret?: string | undefined;
}

interface SentCall {
  readonly key?: string | undefined;
  /** Another agent than that of the caller; null for none. */
  readonly agent?: CallingAgent | null;
}

interface LongPolledCall {
  readonly input: object;
  readonly agent: CallingAgent;
  /** Maximum delay of the reply. */
  readonly seconds: number;
}

type KnownOperations = typeof allOperations;

/** The input of an operation, which is only read. */
type ReadonlyInput<Input> = Input extends readonly (infer Item)[]
  ? readonly ReadonlyInput<Item>[]
  : Input extends object
    ? { readonly [Name in keyof Input]: ReadonlyInput<Input[Name]> }
    : Input;

/** The operations of one server, by name. A refusal is thrown as a HoldfastError. */
export interface ServerCaller {
  readonly call: <Name extends OperationName>(
    operation: Name,
    input: ReadonlyInput<InputOf<KnownOperations[Name]>>,
    options?: SentCall,
  ) => Promise<OutputOf<KnownOperations[Name]>>;
  /** Sends an operation to its route, and lets the server delay the reply until a lock is granted or the time is up. */
  readonly longPoll: (operation: string, path: string, call: LongPolledCall) => Promise<unknown>;
  /** Calls any operation, including those of packs and kinds. */
  readonly run: (operation: string, input: unknown, options?: SentCall) => Promise<unknown>;
}

interface CallerOptions {
  readonly server: FoundServer;
  readonly token?: string | undefined;
  readonly reads?: Reads | undefined;
  readonly agent?: CallingAgent | undefined;
  /** Called before the first request. */
  readonly onFirstCall?: () => void;
}

export function serverCaller(options: CallerOptions): ServerCaller {
  const retrier = new Retrier({ ...systemClock, random: () => 0.5 }, {});
  let isFirst = true;
  const run: ServerCaller["run"] = async (operation, input, { key: given, agent = options.agent } = {}) => {
    if (isFirst) options.onFirstCall?.();
    isFirst = false;
    await loadPackData(operation);
    const key = given ?? (needsKey(operation, input) ? await uniqueKey() : undefined);
    const body = { operation, key, agent: agent?.agent_id, agent_secret: agent?.secret, reads: options.reads, input };
    const text = JSON.stringify(defined(body));
    const startedMs = systemClock.monotonicMs();
    const send = (): Promise<CallReply> => post(options, operation, text);
    const first = await send();
    const isSafe = isRepeatable(operation, input, key);
    const reply = isUnreachable(first)
      ? first
      : await retrier.retry(first, { startedMs, isSafe, signal: undefined }, send);
    const { outcome, position, replayed } = reply;
    if (outcome.kind === "done") return outcome.data;
    await loadPackData(outcome.code);
    throw new HoldfastError(operation, outcome.code, { data: outcome.data, position, replayed });
  };
  return { run, call: run as ServerCaller["call"], longPoll: (...polled) => longPoll(options, ...polled) };
}

/** Loaded on demand: most commands only read. */
async function uniqueKey(): Promise<string> {
  return (await import("../../../base/ids.ts")).systemIds.unique();
}

/** A command that no server receives fails at once. Only a server that answered is asked again. */
function isUnreachable({ outcome }: CallReply): boolean {
  return outcome.kind === "refusal" && outcome.code === "unreachable";
}

async function longPoll(
  { server, token }: CallerOptions,
  operation: string,
  path: string,
  { input, agent, seconds }: LongPolledCall,
): Promise<unknown> {
  const headers = {
    ...headersOf(token),
    ...defined({ "x-agent-id": agent.agent_id, "x-agent-secret": agent.secret }),
    prefer: `wait=${seconds}`,
  };
  const { url } = addressesOf(server.url, server.from)[0] ?? { url: new URL(server.url) };
  const target = { url, socketPath: server.operatorSocket };
  const body = JSON.stringify(input);
  const text = await exchange(target, { method: "POST", path, headers, body }).catch((error: unknown) => {
    if (!(error instanceof ExchangeError)) throw error;
    const reason = `${server.url}, ${server.from}: ${error.message}`;
    throw new HoldfastError(operation, error.isSent ? "outcome_unknown" : "unreachable", { data: { reason } });
  });
  const { code, ...data } = readReply(text);
  if (typeof code !== "string") return data;
  throw new HoldfastError(operation, code, { data });
}

function headersOf(token: string | undefined): Readonly<Record<string, string>> {
  const authorization = token === undefined ? undefined : `Bearer ${token}`;
  return defined({ authorization, "content-type": "application/json", accept: "application/json" });
}

/** Sends the call to the first node that can be reached. A call that may have arrived is not sent to another node. */
async function post({ server, token }: CallerOptions, operation: string, body: string): Promise<CallReply> {
  const addresses = addressesOf(server.url, server.from);
  const headers = headersOf(token);
  let reason = "";
  for (const { url } of addresses) {
    try {
      const target = { url, socketPath: server.operatorSocket };
      return replyOf(await exchange(target, { method: "POST", path: "/v1/commands", headers, body }));
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      reason = `${server.url}, ${server.from}: ${error.message}`;
      // A read has no outcome that could be unknown.
      if (error.isSent && operationData(operation)?.kind !== "read") return callRefusal("outcome_unknown", { reason });
    }
  }
  return callRefusal("unreachable", { url: server.url, reason });
}

function replyOf(text: string): CallReply {
  const reply = readReply(text);
  if ("outcome" in reply) return reply as unknown as CallReply;
  const { code = "internal_error", ...data } = reply;
  return callRefusal(String(code), data);
}

function readReply(text: string): Readonly<Record<string, unknown>> {
  try {
    return readJson(text) as Readonly<Record<string, unknown>>;
  } catch {
    throw new ExchangeError("the answer is not that of a Holdfast server", true);
  }
}
