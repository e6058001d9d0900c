/** The ways into Holdfast that must give the same answers. A new door is one more line here. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClientClock } from "@holdfast/sdk";
import { open } from "holdfast";
import type { CallOptions, CallReply } from "holdfast";
import { AddressRing } from "../../sdk/src/client/address-ring.ts";
import { SocketTransport } from "../../sdk/src/client/socket-transport.ts";
import { serve } from "../../server/src/serve.ts";

export interface Way extends AsyncDisposable {
  call(operation: string, input: unknown, options: CallOptions): Promise<CallReply>;
}

/** Each is a Holdfast of its own, with an operator who speaks to it. */
export const ways: Readonly<Record<string, () => Promise<Way>>> = {
  "in process": inProcess,
  HTTP: () => served(overHttp),
  "the socket": () => served(overSocket),
};

async function inProcess(): Promise<Way> {
  const client = await open({ memory: true }, { principal: "operator" });
  return { call: client.execute, [Symbol.asyncDispose]: client.close };
}

type Speak = (url: string, token: string) => Promise<{ call: Way["call"]; close: () => Promise<void> }>;

async function served(speak: Speak): Promise<Way> {
  const data = await mkdtemp(join(tmpdir(), "holdfast-ways-"));
  const serving = await serve({ data, host: "127.0.0.1", port: 0 });
  const token = (await readFile(join(data, "operator-token"), "utf8")).trim();
  const { call, close } = await speak(serving.url, token);
  return {
    call,
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
  return { call: (...call) => transport.call(...call), close: () => transport.close() };
}

async function overHttp(url: string, token: string): ReturnType<Speak> {
  return {
    async call(operation, input, { key, agent, agentSecret }) {
      const response = await fetch(`${url}/v1/commands`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
        body: JSON.stringify({ operation, input, key, agent, agent_secret: agentSecret }),
      });
      const { outcome, position, replayed, events } = (await response.json()) as CallReply;
      return { outcome, position, replayed, events };
    },
    close: () => Promise.resolve(),
  };
}
