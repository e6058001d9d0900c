/** A proxy between a runner and its server. It withholds the reply that says that a step of a run is done. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { WebSocket, WebSocketServer } from "ws";
import { socketPath } from "@holdfast/sdk/contract";
import type { ClientMessage, ServerMessage } from "@holdfast/sdk/contract";

/** A reply to the `advance` of the step. */
export interface StepReply {
  /** The position of the entry. The server replies only after the entry is durable. */
  readonly position: number;
  readonly replayed: boolean;
}

export interface AnswerProxy {
  readonly url: string;
  /** The first reply. It has left the server, and the runner never gets it. */
  readonly withheld: Promise<StepReply>;
  /** Later replies, on other connections. The runner gets them. */
  readonly delivered: readonly StepReply[];
}

export async function answerProxyFor(t: TestContext, target: string, step: string): Promise<AnswerProxy> {
  const withheld = Promise.withResolvers<StepReply>();
  const delivered: StepReply[] = [];
  let isWithheld = false;
  /** Whether the frame may pass. */
  const passes = (reply: StepReply | undefined): boolean => {
    if (reply === undefined) return true;
    if (isWithheld) {
      delivered.push({ position: reply.position, replayed: reply.replayed });
      return true;
    }
    isWithheld = true;
    withheld.resolve({ position: reply.position, replayed: reply.replayed });
    return false;
  };
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (near) => {
    connectPair(near, new WebSocket(new URL(socketPath, target.replace("http", "ws"))), step, passes);
  });
  t.after(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, withheld: withheld.promise, delivered };
}

/** Passes frames between a runner and its server until a reply may not pass. From then on the runner gets nothing. */
function connectPair(
  near: WebSocket,
  far: WebSocket,
  step: string,
  passes: (reply: StepReply | undefined) => boolean,
): void {
  const calls = new Set<number>();
  const isOpen = once(far, "open");
  isOpen.catch(() => undefined);
  let isMute = false;
  near.on("message", (data: Buffer) => {
    const frame = data.toString();
    for (const message of JSON.parse(frame) as readonly ClientMessage[]) {
      if (isAdvance(message, step)) calls.add(message.id);
    }
    void isOpen.then(
      () => {
        far.send(frame);
      },
      () => undefined,
    );
  });
  far.on("message", (data: Buffer) => {
    const frame = data.toString();
    const reply = (JSON.parse(frame) as readonly ServerMessage[]).find(
      (message) => message.kind === "reply" && calls.has(message.id),
    );
    isMute ||= !passes(reply?.kind === "reply" ? reply : undefined);
    if (!isMute) near.send(frame);
  });
  for (const [one, other] of [[near, far] as const, [far, near] as const]) {
    one
      .on("error", () => undefined)
      .on("close", () => {
        other.terminate();
      });
  }
}

function isAdvance(message: ClientMessage, step: string): message is ClientMessage & { readonly kind: "call" } {
  return (
    message.kind === "call" &&
    message.operation === "intents.advance" &&
    (message.input as { readonly step?: unknown }).step === step
  );
}
