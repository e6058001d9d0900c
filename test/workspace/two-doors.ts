/** A node with a manual clock whose clients come through HTTP and through the socket. */
import { defined } from "@holdfast/sdk/base/defined";
import { connect } from "holdfast";
import type { Allowance, Client } from "holdfast";
import { systemClock } from "../../server/src/base/clock.ts";
import { systemIds } from "../../server/src/base/ids.ts";
import { openHttpDoor } from "../../server/src/doors/http/open.ts";
import { openSocketDoor } from "../../server/src/doors/socket/open.ts";
import type { MemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { gatedNode } from "../access/gated-node.ts";
import type { GatedNode } from "../access/gated-node.ts";

export type DoorName = "http" | "socket";

const everything: readonly Allowance[] = [{ verbs: ["read", "write", "lock", "register"], under: "" }];

export interface TwoDoors extends AsyncDisposable {
  readonly node: GatedNode;
  /** A client of a principal through a door. */
  clientOf(principal: string, door: DoorName): Promise<Client>;
}

export async function twoDoors(disk?: MemoryDisk): Promise<TwoDoors> {
  await using opened = new AsyncDisposableStack();
  const node = await gatedNode(defined({ disk }));
  opened.defer(() => node.stop());
  const { gate, services } = node;
  const report = (): void => undefined;
  // The doors keep real time: only leases depend on the clock of the node.
  const parts = { gate, operations: services.operations, clock: systemClock, version: "test", report };
  const health = () => Promise.reject(new Error("unused"));
  const http = await openHttpDoor({ ...parts, host: "127.0.0.1", port: 0, health });
  opened.defer(() => http.close());
  const socket = openSocketDoor({ ...parts, ids: systemIds, hostNames: [], server: http.server });
  opened.defer(() => socket.close());
  const secrets = new Map<string, Promise<string>>();
  const closing = opened.move();
  return {
    node,
    async clientOf(principal, transport) {
      const secret = secrets.get(principal) ?? node.tokenFor(principal, everything);
      secrets.set(principal, secret);
      const client = await connect(http.url, { token: await secret, transport, retry: false });
      closing.defer(() => client.close());
      return client;
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
