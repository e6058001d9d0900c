/** A server with two storage roots, and callers that come through the client over the socket and through the routes of HTTP. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "holdfast";
import type { Allowance, CallReply, Client } from "holdfast";
import { defined } from "@holdfast/sdk/base/defined";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { serve } from "../../server/src/assembly/serve.ts";
import { replyOf, routeRequestOf } from "../doors/route-request.ts";
import { puts } from "./workspace-decider.ts";

interface CallAnswer {
  readonly code: string;
  readonly data: JsonObject;
}

/** One principal with one agent, at one door. */
export interface Caller {
  readonly door: "the client" | "HTTP";
  readonly agent: string;
  /** Sends an operation as the agent, or without it. */
  ask(operation: string, input: JsonObject, as?: "agent" | "person"): Promise<CallAnswer>;
  /** Sends an operation of the workspace that must be done. */
  done(operation: string, input: JsonObject): Promise<JsonObject>;
}

export interface TwoCallers extends AsyncDisposable {
  readonly url: string;
  readonly operator: Client;
  readonly secret: string;
  /** Both have the same principal, and a project of their own: `p-client` and `p-http`. */
  readonly callers: readonly Caller[];
  /** Everything that a refused call could have changed. */
  state(): Promise<string>;
}

const operatorToken = "the-operator-of-the-questions-0123456789";

/** The project of a caller, with a map, two sketches and one object in each. */
export const projectOf = ({ door }: Caller): string => (door === "HTTP" ? "p-http" : "p-client");

export async function twoCallers(): Promise<TwoCallers> {
  const data = await mkdtemp(join(tmpdir(), "holdfast-callers-"));
  await using opened = new AsyncDisposableStack();
  opened.defer(() => rm(data, { recursive: true }));
  const storageRoots = { fast: join(data, "fast"), large: join(data, "large") };
  const report = (): void => undefined;
  const serving = await serve({ data, host: "127.0.0.1", port: 0, operatorToken, storageRoots, report });
  opened.defer(() => serving.close());
  const { url } = serving;
  const operator = opened.use(await connect(url, { token: operatorToken, retry: false }));
  const allow: Allowance[] = [{ verbs: ["read", "write", "lock", "register", "work"], under: "" }];
  const { secret } = await operator.tokens.create({ principal: "ann", allow });
  const client = opened.use(await connect(url, { token: secret, retry: false }));
  const callers = [await overClient(client), await overHttp(client, url, secret)];
  for (const caller of callers) await build(caller);
  const closing = opened.move();
  return {
    ...{ url, operator, secret, callers },
    state: () => stateOf(operator, callers),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

async function overClient(client: Client): Promise<Caller> {
  const identity = await client.agents.register({ name: "over the client" });
  const agent = client.as(identity);
  const ask: Caller["ask"] = async (operation, input, as = "agent") =>
    answerOf(await (as === "agent" ? agent : client).execute(operation, input));
  return { door: "the client", agent: identity.agentId, ask, done: doneBy(ask) };
}

async function overHttp(client: Client, url: string, token: string): Promise<Caller> {
  const { agentId, secret } = await client.agents.register({ name: "over HTTP" });
  const ask: Caller["ask"] = async (operation, input, as = "agent") => {
    const agent = as === "agent" ? agentId : undefined;
    const request = routeRequestOf({ operation } as Parameters<typeof routeRequestOf>[0], input, agent);
    assert.ok(request !== undefined, `no route has ${operation} with ${JSON.stringify(input)}`);
    const ofAgent = agent === undefined ? {} : defined({ "x-agent-secret": secret });
    const headers = { authorization: `Bearer ${token}`, ...ofAgent, ...request.headers };
    const { method, path, body } = request;
    return answerOf(await replyOf(request, await fetch(url + path, { method, headers, ...defined({ body }) })));
  };
  return { door: "HTTP", agent: agentId, ask, done: doneBy(ask) };
}

function answerOf({ outcome }: CallReply): CallAnswer {
  return { code: outcome.kind === "done" ? "done" : outcome.code, data: outcome.data as JsonObject };
}

const doneBy =
  (ask: Caller["ask"]): Caller["done"] =>
  async (operation, input) => {
    const { code, data } = await ask(operation, input);
    assert.equal(code, "done", `${operation}: ${code} ${JSON.stringify(data).slice(0, 300)}`);
    return data;
  };

async function build(caller: Caller): Promise<void> {
  const project = { project: projectOf(caller) };
  const map = { ...project, map: "m" };
  const take = { name: "n", lock: "take" };
  await caller.done("workspace.create-project", { ...project, root: "fast", ...take });
  await caller.done("workspace.create-map", { ...map, ...take });
  for (const sketch of ["a", "b"]) {
    await caller.done("workspace.create-sketch", { ...map, sketch, ...take });
    await caller.done("workspace.change-objects", { ...map, sketch, changes: puts(1), lock: "take" });
  }
}

async function stateOf(operator: Client, callers: readonly Caller[]): Promise<string> {
  const { run } = operator;
  const take = { lock: "take" } as const;
  const projects = callers.map(async (caller) => {
    const project = { project: projectOf(caller) };
    return Promise.all([
      run("workspace.get-project", { ...project, ...take }),
      run("workspace.list-maps", { ...project, ...take }),
      run("workspace.list-sketches", { ...project, map: "m", ...take }),
      run("workspace.list-objects", { ...project, map: "m", ...take }),
    ]);
  });
  const others = [
    operator.operations.listLocks({}),
    operator.jobs.stats(),
    operator.files.listTargets(),
    operator.files.listPublishes(),
    operator.workspace.listProjects(),
  ];
  return JSON.stringify(await Promise.all([...projects, ...others]));
}
