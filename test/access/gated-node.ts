import { defined } from "@holdfast/sdk/base/defined";
import assert from "node:assert/strict";
import { createClient } from "@holdfast/sdk";
import type { Allowance, Client } from "holdfast";
import { isRejection } from "../../server/src/access/gate.ts";
import type { AdmittedCaller, Credentials, Gate } from "../../server/src/access/gate.ts";
import { OperatorToken } from "../../server/src/access/operator-token.ts";
import { openGate } from "../../server/src/access/open-gate.ts";
import type { GateOptions } from "../../server/src/access/open-gate.ts";
import { digestOf } from "../../server/src/base/new-secret.ts";
import { behindGate } from "../../server/src/assembly/behind-gate.ts";
import type { MemoryDisk } from "../../server/src/journal/memory/disk.ts";
import type { ManualClock } from "../engine/manual-clock.ts";
import { lockNode } from "../locks/lock-node.ts";
import type { LockNode } from "../locks/lock-node.ts";
import { checkedTransport } from "./checked-transport.ts";

export const operatorSecret = "hf_the-operator-of-these-tests-0123456789";

export interface GatedNode extends LockNode {
  readonly gate: Gate;
  /** A caller that the gate admits. The test fails if the gate rejects the credentials. */
  admit(credentials?: Partial<Credentials>): AdmittedCaller;
  /** A client of an admitted caller. */
  clientWith(credentials?: Partial<Credentials>): Client;
  readonly operator: Client;
  /** The secret of a new token. */
  tokenFor(principal: string, allow: readonly Allowance[]): Promise<string>;
}

export interface GatedOptions extends Partial<Pick<GateOptions, "requiresToken" | "limits">> {
  readonly requiresAgentSecret?: boolean;
  readonly disk?: MemoryDisk;
  readonly clock?: ManualClock;
}

/** A real engine with a manual clock, behind the gate that a server uses. */
export async function gatedNode(options: GatedOptions = {}): Promise<GatedNode> {
  const { requiresAgentSecret = false, disk, clock: given, ...more } = options;
  const lockOptions = { ...defined({ disk, clock: given }) };
  const node = await lockNode(lockOptions);
  const { services, clock } = node;
  const gate = openGate({
    ...behindGate(services, { requiresAgentSecret }),
    operatorToken: new OperatorToken(digestOf(operatorSecret)),
    requiresToken: false,
    clock,
    ...more,
  });
  const admit = (credentials: Partial<Credentials> = {}): AdmittedCaller => {
    const caller = gate.admit({ isLoopback: true, connection: "c1", door: "http", ...credentials });
    assert.ok(!isRejection(caller), JSON.stringify(caller));
    return caller;
  };
  // The client does not retry, so that the test sees each refusal. A retry would wait for the manual clock.
  const clientWith = (credentials?: Partial<Credentials>): Client =>
    createClient(checkedTransport(admit(credentials).calls), { retry: false });
  const operator = clientWith({ token: operatorSecret, connection: "operator" });
  return {
    ...node,
    gate,
    admit,
    clientWith,
    operator,
    tokenFor: async (principal, allow) => (await operator.tokens.create({ principal, allow })).secret,
  };
}
