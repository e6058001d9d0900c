import type { Transport } from "@holdfast/sdk";
import type { Caller, Credentials, Gate, Turned } from "./gate.ts";

export interface GateOptions {
  /** A transport on which commands are sent in the name of a principal. */
  readonly transportOf: (speaker: { readonly principal: string; readonly caller: string }) => Transport;
}

export function openGate(options: GateOptions): Gate {
  return { admit: (credentials) => admit(options, credentials) };
}

function admit({ transportOf }: GateOptions, { connection, isLoopback }: Credentials): Caller | Turned {
  if (!isLoopback) return { code: "not_allowed", data: { reason: "only callers on this host are let in" } };
  const principal = "anonymous";
  return { principal, isOperator: false, transport: transportOf({ principal, caller: connection }) };
}
