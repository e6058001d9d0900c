/**
 * A request and its withdrawal look each other up, each by its own key scope, in the journal. So a late copy of a
 * withdrawn request is refused, however old the withdrawal is, and no state grows with the number of withdrawals.
 */
import { defined } from "@holdfast/sdk/base/defined";
import { requestOfWithdrawal, withdrawalKey } from "@holdfast/sdk/contract";
import { isObject } from "@holdfast/sdk/json/json";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { keyScope } from "../machine/entry.ts";
import type { Command, Entry } from "../machine/entry.ts";
import type { EngineRequest } from "./reply.ts";

/** The operation that withdraws requests, and the operations whose requests it withdraws. The engine knows no names. */
interface WithdrawalNames {
  readonly operation: string;
  readonly of: readonly string[];
}

export class CounterpartScopes {
  readonly #withdrawal: string;
  readonly #withdrawable: ReadonlySet<string>;

  constructor({ operation, of }: WithdrawalNames) {
    this.#withdrawal = operation;
    this.#withdrawable = new Set(of);
  }

  isWithdrawal({ operation }: Pick<EngineRequest, "operation">): boolean {
    return operation === this.#withdrawal;
  }

  /** A withdrawal has a key made of its request. A key that its caller sends is ignored. */
  withOwnKey(request: EngineRequest): EngineRequest {
    return this.isWithdrawal(request) ? { ...request, key: this.#ownKeyOf(request.input) } : request;
  }

  /** Undefined for an invalid input, which the machine refuses. */
  #ownKeyOf(input: Json): string | undefined {
    if (!isObject(input)) return undefined;
    const { operation, key } = input;
    if (typeof key !== "string" || typeof operation !== "string") return undefined;
    return this.#withdrawable.has(operation) ? withdrawalKey({ operation, key }) : undefined;
  }

  /** The key scope of the request of a withdrawal, or of the withdrawal of a request. */
  scopeOf(command: Command): string | undefined {
    const { principal, operation, key } = command;
    if (key === undefined) return undefined;
    if (this.isWithdrawal(command)) return keyScope({ principal, ...requestOfWithdrawal(key) });
    if (!this.#withdrawable.has(operation)) return undefined;
    return keyScope({ principal, operation: this.#withdrawal, key: withdrawalKey({ operation, key }) });
  }
}

/** The withdrawal with the evidence that its request has arrived, and the owner that sent it. */
export function withArrival(command: Command, request: Entry): Command {
  const { owner_id: owner = request.agent } = request.input as JsonObject;
  const evidence: JsonObject = { position: request.position, ...defined({ owner_id: owner }) };
  return { ...command, evidence };
}
