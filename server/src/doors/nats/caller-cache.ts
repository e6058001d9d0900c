import { admitLatest, isRejection } from "../../access/gate.ts";
import { digestOf } from "../../base/new-secret.ts";
import type { AdmittedCaller, Gate, Rejection } from "../../access/gate.ts";

const callersMax = 1_000;

/**
 * Authenticates the sender of each message by its token. Only the nats-server knows the identity of a connection. A message
 * without a token is therefore anonymous, unless the operator sets a principal for all of them.
 */
export class CallerCache {
  readonly #gate: Gate;
  readonly #principal: string | undefined;
  /**
   * The admitted callers by the digest of their token, so that no secret stays in memory. The gate checks each call again,
   * so a cached caller is no risk.
   */
  readonly #known = new Map<string, AdmittedCaller>();

  constructor(gate: Gate, principal: string | undefined) {
    this.#gate = gate;
    this.#principal = principal;
  }

  /** Returns synchronously unless this node must catch up first, so that commands keep their order. */
  admit(token: string | undefined): AdmittedCaller | Rejection | Promise<AdmittedCaller | Rejection> {
    const key = token === undefined ? "" : digestOf(token);
    return this.#known.get(key) ?? this.#admitNew(token, key);
  }

  #admitNew(token: string | undefined, key: string): AdmittedCaller | Rejection | Promise<AdmittedCaller | Rejection> {
    const caller = admitLatest(this.#gate, {
      token,
      vouched: token === undefined ? this.#principal : undefined,
      isLoopback: false,
      // One connection for all messages, so that commands keep their order.
      connection: "nats",
      door: "nats",
    });
    return caller instanceof Promise ? caller.then((admitted) => this.#keep(key, admitted)) : this.#keep(key, caller);
  }

  #keep(key: string, caller: AdmittedCaller | Rejection): AdmittedCaller | Rejection {
    if (isRejection(caller)) return caller;
    if (this.#known.size >= callersMax) this.#known.clear();
    this.#known.set(key, caller);
    return caller;
  }
}
