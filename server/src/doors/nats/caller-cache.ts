import { admitLatest, isTurned } from "../../access/gate.ts";
import type { Caller, Gate, Turned } from "../../access/gate.ts";

const callersMax = 1_000;

/**
 * Who sends commands: a token says so, message by message. What a connection to the nats-server proves is known to that
 * server alone; so without a token a message is nobody's, unless the operator vouches for all who can send one.
 */
export class CallerCache {
  readonly #gate: Gate;
  readonly #principal: string | undefined;
  /** Those who were let in. Each call of theirs is checked again anyway, so knowing them for long is no risk. */
  readonly #known = new Map<string, Caller>();

  constructor(gate: Gate, principal: string | undefined) {
    this.#gate = gate;
    this.#principal = principal;
  }

  /** At once for those who were here before: their commands must keep their order. */
  admit(token: string | undefined): Caller | Turned | Promise<Caller | Turned> {
    return this.#known.get(token ?? "") ?? this.#admitNew(token);
  }

  async #admitNew(token: string | undefined): Promise<Caller | Turned> {
    const caller = await admitLatest(this.#gate, {
      ...(token === undefined ? { vouched: this.#principal } : { token }),
      isLoopback: false,
      // One for all: commands keep the order in which they came.
      connection: "nats",
      door: "nats",
    });
    if (isTurned(caller)) return caller;
    if (this.#known.size >= callersMax) this.#known.clear();
    this.#known.set(token ?? "", caller);
    return caller;
  }
}
