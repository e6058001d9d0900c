/**
 * A request and its withdrawal look each other up, each by its own key scope, in the journal. So a late copy of a
 * withdrawn request is refused, however old the withdrawal is, and no state grows with the number of withdrawals.
 */
import { defined } from "@holdfast/sdk/base/defined";
import { isWithdrawable, requestOfWithdrawal, withdrawal, withdrawalKey } from "@holdfast/sdk/contract";
import { isObject } from "@holdfast/sdk/json/json";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { keyScope } from "../machine/entry.ts";
import type { Command, Entry } from "../machine/entry.ts";
import type { EngineRequest } from "./reply.ts";

/** A withdrawal has a key made of its request. A key that its caller sends is ignored. */
export function withOwnKey(request: EngineRequest): EngineRequest {
  return request.operation === withdrawal ? { ...request, key: ownKeyOf(request.input) } : request;
}

/** Undefined for an invalid input, which the machine refuses. */
function ownKeyOf(input: Json): string | undefined {
  if (!isObject(input)) return undefined;
  const { operation, key } = input;
  return typeof key === "string" && isWithdrawable(operation)
    ? withdrawalKey({ operation: operation as string, key })
    : undefined;
}

/** The key scope of the request of a withdrawal, or of the withdrawal of a request. */
export function counterpartScope({ principal, operation, key }: Command): string | undefined {
  if (key === undefined) return undefined;
  if (operation === withdrawal) return keyScope({ principal, ...requestOfWithdrawal(key) });
  if (!isWithdrawable(operation)) return undefined;
  return keyScope({ principal, operation: withdrawal, key: withdrawalKey({ operation, key }) });
}

/** The withdrawal with the evidence that its request has arrived, and the owner that sent it. */
export function withArrival(command: Command, request: Entry): Command {
  const { owner_id: owner = request.agent } = request.input as JsonObject;
  const evidence: JsonObject = { position: request.position, ...defined({ owner_id: owner }) };
  return { ...command, evidence };
}
