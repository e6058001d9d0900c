/** Drivers that run operations through each door. To cover a new door, add a line here. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClientClock } from "@holdfast/sdk";
import { open } from "holdfast";
import type { CallOptions, CallReply } from "holdfast";
import { defined } from "../../sdk/src/base/defined.ts";
import { AddressRing } from "../../sdk/src/client/transport/address-ring.ts";
import { SocketTransport } from "../../sdk/src/client/transport/socket-transport.ts";
import { serve } from "../../server/src/assembly/serve.ts";
import { MeshAgent } from "../mesh/mesh-client.ts";
import { startNats } from "../mesh/private-nats.ts";
import { replyOf, routeRequestOf } from "./route-request.ts";
import type { OperationInput, ScriptStep } from "./script-step.ts";

export interface DoorDriver extends AsyncDisposable {
  run(step: ScriptStep, input: OperationInput, agent: string | undefined): Promise<CallReply>;
}

/** Each driver has its own Holdfast and runs as its operator. */
export const doorDrivers: Readonly<Record<string, () => Promise<DoorDriver>>> = {
  "in process": inProcess,
  "HTTP commands": () => served(overHttp),
  "HTTP routes": () => served(overRoutes),
  "the socket": () => served(overSocket),
  NATS: overNats,
};

async function inProcess(): Promise<DoorDriver> {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-ways-"));
  const client = await open(folder, { principal: "operator" });
  return {
    run: runWith(client.execute),
    async [Symbol.asyncDispose]() {
      await client.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Drivers for a running server. */
export const doorsOfServer: Readonly<Record<string, ConnectDriver>> = {
  "HTTP commands": overHttp,
  "HTTP routes": overRoutes,
  "the socket": overSocket,
};

type Call = (operation: string, input: unknown, options: CallOptions) => Promise<CallReply>;
export type ConnectDriver = (
  url: string,
  token: string,
) => Promise<{ run: DoorDriver["run"]; close: () => Promise<void> }>;

const runWith =
  (call: Call): DoorDriver["run"] =>
  ({ operation, key }, input, agent) =>
    call(operation, input, { ...defined({ key, agent }) });

async function served(connectDriver: ConnectDriver, nats?: string): Promise<DoorDriver> {
  const data = await mkdtemp(join(tmpdir(), "holdfast-ways-"));
  const mesh = nats === undefined ? {} : { nats: { servers: [nats] } };
  // Configured, as in process: a token in the folder could be rotated, and then the answers would differ.
  const token = "the-operator-of-every-door-0123456789";
  const serving = await serve({ data, host: "127.0.0.1", port: 0, operatorToken: token, ...mesh });
  const { run, close } = await connectDriver(serving.url, token);
  return {
    run,
    async [Symbol.asyncDispose]() {
      await close();
      await serving.close();
      await rm(data, { recursive: true });
    },
  };
}

async function overSocket(url: string, token: string): ReturnType<ConnectDriver> {
  // The transport without a client: a client adds keys to calls, and the journal would show them.
  const nodes = new AddressRing([{ url: new URL(url), from: "the test" }], () => 0);
  const transport = new SocketTransport({ nodes, token, clock: systemClientClock, reconnectMs: 30_000 });
  return { run: runWith((...call) => transport.call(...call)), close: () => transport.close() };
}

/** A driver for a server that is connected to NATS. The address is that of NATS. */
export async function overMesh(nats: string, token: string): ReturnType<ConnectDriver> {
  const agent = await MeshAgent.connect(nats);
  const call: Call = async (operation, input, { key, agent: id }) => {
    const subject = operation.includes(".") ? `req.${operation}` : `req.operation.${operation}`;
    const headers = defined({ Authorization: `Bearer ${token}`, "Idempotency-Key": key, "X-Agent-Id": id });
    return (await agent.request(subject, input, headers)).data as unknown as CallReply;
  };
  return { run: runWith(call), close: () => agent[Symbol.asyncDispose]() };
}

async function overNats(): Promise<DoorDriver> {
  const nats = await startNats();
  const driver = await served((_url, token) => overMesh(nats.url, token), nats.url);
  return {
    run: (...step) => driver.run(...step),
    async [Symbol.asyncDispose]() {
      await driver[Symbol.asyncDispose]();
      await nats[Symbol.asyncDispose]();
    },
  };
}

async function overHttp(url: string, token: string): ReturnType<ConnectDriver> {
  const call: Call = async (operation, input, { key, agent }) => {
    const response = await fetch(`${url}/v1/commands`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ operation, input, key, agent }),
    });
    const { outcome, position, replayed, events } = (await response.json()) as CallReply;
    return { outcome, position, replayed, events };
  };
  return { run: runWith(call), close: () => Promise.resolve() };
}

/** Sends each operation to its own route. An input that no route can express is sent as a command. */
async function overRoutes(url: string, token: string): ReturnType<ConnectDriver> {
  const commands = await overHttp(url, token);
  return {
    ...commands,
    async run(step, input, agent) {
      const request = routeRequestOf(step, input, agent);
      if (request === undefined) return commands.run(step, input, agent);
      const { method, path, body } = request;
      const headers = { ...request.headers, authorization: `Bearer ${token}` };
      return replyOf(request, await fetch(url + path, { method, headers, ...defined({ body }) }));
    },
  };
}
