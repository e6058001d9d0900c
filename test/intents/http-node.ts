/** A node with a manual clock whose clients come through the HTTP door. */
import type { Client } from "holdfast";
import { createClient, systemClientClock } from "@holdfast/sdk";
import { AddressRing } from "../../sdk/src/client/transport/address-ring.ts";
import { addressesOf } from "../../sdk/src/client/transport/address.ts";
import { httpTransport } from "../../sdk/src/client/transport/http-transport.ts";
import { openHttpDoor } from "../../server/src/doors/http/open.ts";
import { gatedNode, operatorSecret } from "../access/gated-node.ts";
import type { MatrixNode } from "./matrix-row.ts";

/** Requests after each step of the clock. Earlier ones of the same process are answered first. */
const requestsPerStep = 2;

export async function httpNode(): Promise<MatrixNode> {
  await using opened = new AsyncDisposableStack();
  const node = await gatedNode();
  const { gate, services, clock } = node;
  opened.defer(() => node.stop());
  const health = () => Promise.reject(new Error("unused"));
  const report = (): void => undefined;
  const parts = { gate, operations: services.operations, clock, version: "test", report, health };
  const door = await openHttpDoor({ ...parts, host: "127.0.0.1", port: 0 });
  opened.defer(() => door.close());
  const closing = opened.move();
  const time = {
    ...systemClientClock,
    monotonicMs: () => clock.monotonicMs(),
    wallMs: () => clock.wallMs(),
    after: clock.after.bind(clock),
    soon: clock.soon.bind(clock),
  };
  const fresh = (name: string): Client => {
    const nodes = new AddressRing(addressesOf(door.url, "the test"), () => time.random());
    const transport = httpTransport({ nodes, clock: time, reconnectMs: 30_000, token: operatorSecret });
    const client = createClient(transport, { name, clock: time });
    closing.defer(() => client.close());
    return client;
  };
  const settle = async (): Promise<void> => {
    for (let count = 0; count < requestsPerStep; count += 1) await (await fetch(`${door.url}/none`)).text();
  };
  const pass = async (durationMs: number, stepMs = 50): Promise<void> => {
    for (let passed = 0; passed < durationMs; passed += stepMs) {
      await settle();
      await clock.pass(Math.min(stepMs, durationMs - passed), stepMs);
    }
    await settle();
  };
  return {
    fresh,
    clock: { pass, monotonicMs: () => clock.monotonicMs() },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
