/** The ways into Holdfast that must give the same answers. A new door is one more line here. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClientClock } from "@holdfast/sdk";
import { open } from "holdfast";
import type { CallOptions, CallReply } from "holdfast";
import { AddressRing } from "../../sdk/src/client/address-ring.ts";
import { SocketTransport } from "../../sdk/src/client/socket-transport.ts";
import { serve } from "../../server/src/assembly/serve.ts";
import { MeshAgent } from "../mesh/mesh-client.ts";
import { startNats } from "../mesh/private-nats.ts";
import { replyOf, spell } from "./route-way.ts";
import type { Facts, Step } from "./script.ts";

export interface Way extends AsyncDisposable {
  take(step: Step, input: Facts, agent: string | undefined): Promise<CallReply>;
}

/** Each is a Holdfast of its own, with an operator who speaks to it. */
export const ways: Readonly<Record<string, () => Promise<Way>>> = {
  "in process": inProcess,
  "the commands of HTTP": () => served(overHttp),
  "the routes of HTTP": () => served(overRoutes),
  "the socket": () => served(overSocket),
  NATS: overNats,
};

async function inProcess(): Promise<Way> {
  const client = await open({ memory: true }, { principal: "operator" });
  return { take: taking(client.execute), [Symbol.asyncDispose]: client.close };
}

/** The ways over a network into a server that runs. */
export const doorsOfServer: Readonly<Record<string, Speak>> = {
  "the commands of HTTP": overHttp,
  "the routes of HTTP": overRoutes,
  "the socket": overSocket,
};

type Call = (operation: string, input: unknown, options: CallOptions) => Promise<CallReply>;
export type Speak = (url: string, token: string) => Promise<{ take: Way["take"]; close: () => Promise<void> }>;

const taking =
  (call: Call): Way["take"] =>
  ({ operation, key }, input, agent) =>
    call(operation, input, { ...(key === undefined ? {} : { key }), ...(agent === undefined ? {} : { agent }) });

async function served(speak: Speak, nats?: string): Promise<Way> {
  const data = await mkdtemp(join(tmpdir(), "holdfast-ways-"));
  const mesh = nats === undefined ? {} : { nats: { servers: [nats] } };
  const serving = await serve({ data, host: "127.0.0.1", port: 0, ...mesh });
  const token = (await readFile(join(data, "operator-token"), "utf8")).trim();
  const { take, close } = await speak(serving.url, token);
  return {
    take,
    async [Symbol.asyncDispose]() {
      await close();
      await serving.close();
      await rm(data, { recursive: true });
    },
  };
}

async function overSocket(url: string, token: string): ReturnType<Speak> {
  // The transport itself: a client gives keys to calls without one, and would show that in the journal.
  const nodes = new AddressRing([{ url: new URL(url), from: "the test" }], () => 0);
  const transport = new SocketTransport({ nodes, token, clock: systemClientClock, reconnectMs: 30_000 });
  return { take: taking((...call) => transport.call(...call)), close: () => transport.close() };
}

async function overNats(): Promise<Way> {
  const nats = await startNats();
  const way = await served(async (_url, token) => {
    const agent = await MeshAgent.connect(nats.url);
    const call: Call = async (operation, input, { key, agent: id }) => {
      const { data } = await agent.request(`req.operation.${operation}`, input, {
        Authorization: `Bearer ${token}`,
        ...(key === undefined ? {} : { "Idempotency-Key": key }),
        ...(id === undefined ? {} : { "X-Agent-Id": id }),
      });
      return data as unknown as CallReply;
    };
    return { take: taking(call), close: () => agent[Symbol.asyncDispose]() };
  }, nats.url);
  return {
    take: (...step) => way.take(...step),
    async [Symbol.asyncDispose]() {
      await way[Symbol.asyncDispose]();
      await nats[Symbol.asyncDispose]();
    },
  };
}

async function overHttp(url: string, token: string): ReturnType<Speak> {
  const call: Call = async (operation, input, { key, agent }) => {
    const response = await fetch(`${url}/v1/commands`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ operation, input, key, agent }),
    });
    const { outcome, position, replayed, events } = (await response.json()) as CallReply;
    return { outcome, position, replayed, events };
  };
  return { take: taking(call), close: () => Promise.resolve() };
}

/** Each operation at its own address. What an address can't say is said as a command, so that all else stays the same. */
async function overRoutes(url: string, token: string): ReturnType<Speak> {
  const commands = await overHttp(url, token);
  return {
    ...commands,
    async take(step, input, agent) {
      const spelled = spell(step, input, agent);
      if (spelled === undefined) return commands.take(step, input, agent);
      const { method, path, body } = spelled;
      const headers = { ...spelled.headers, authorization: `Bearer ${token}` };
      return replyOf(spelled, await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) }));
    },
  };
}
