import type { NoticeQuery } from "../../contract/notices.ts";
import type { ClientClock } from "../client-clock.ts";
import type { OwnerNotice } from "../operation-output.ts";
import { loadPackData, loadProblem, noticeToClient, operationData } from "../data/operation-data.ts";
import { inputToWire, replyToClient } from "../data/input-to-wire.ts";
import { HoldfastError } from "../holdfast-error.ts";
import { mapPages } from "../map-pages.ts";
import { isRepeatable, needsKey } from "../repeatable.ts";
import { callRefusal } from "../call-refusal.ts";
import type { Retrier } from "../retry.ts";
import type { CallOptions, CallReply, Reads, Transport } from "./transport.ts";

/** The identity of a caller: a registered agent with its secret. */
export interface Identity {
  readonly agent: string;
  readonly agentSecret?: string | undefined;
  /** The client registered this agent itself, and may continue without it after it has ended. */
  readonly isOwn?: boolean;
}

interface CallerOptions {
  readonly transport: Transport;
  readonly clock: ClientClock;
  readonly retrier: Retrier;
  /** Gives writes a key, so that they can be retried after a lost reply. */
  readonly makesKeys: boolean;
  /** The default freshness of reads. */
  readonly reads?: Reads | undefined;
}

/** Sends calls as an agent, and retries them where the rule of the refusal allows it. */
export class CallSender {
  readonly transport: Transport;
  readonly clock: ClientClock;
  identity: Identity | undefined;
  /** Called when the caller's agent has ended. */
  onAgentEnded: ((agent: string, data: Readonly<Record<string, unknown>>) => void) | undefined;
  readonly #retrier: Retrier;
  readonly #makesKeys: boolean;
  readonly #reads: Reads | undefined;

  constructor({ transport, clock, retrier, makesKeys, reads }: CallerOptions, identity?: Identity) {
    this.#reads = reads;
    this.transport = transport;
    this.clock = clock;
    this.#retrier = retrier;
    this.#makesKeys = makesKeys;
    this.identity = identity;
  }

  /** Sends a call with the members of the client: camelCase, durations in milliseconds. */
  call(operation: string, input: unknown, options: CallOptions = {}): Promise<CallReply> {
    const loading = loadPackData(operation);
    if (loading !== undefined) return loading.then(() => this.call(operation, input, options));
    const { wire, refused } = inputToWire(operation, input);
    if (refused !== undefined) return Promise.resolve(refused);
    return this.callWire(operation, wire, options).then((reply) => replyToClient(operation, reply));
  }

  /** Sends a call with the members of the wire. */
  callWire(operation: string, input: unknown, options: CallOptions = {}): Promise<CallReply> {
    const loading = loadPackData(operation);
    if (loading !== undefined) return loading.then(() => this.callWire(operation, input, options));
    const { identity } = this;
    const call = this.#completed(operation, input, options);
    const startedMs = this.#retrier.isOn ? this.clock.monotonicMs() : 0;
    const send = (): Promise<CallReply> => this.transport.call(operation, input, call);
    const settle = (reply: CallReply): CallReply | Promise<CallReply> => {
      // Uses the same key: the reply to an earlier attempt may have been lost after the command ran.
      const { key } = call;
      const again = (): Promise<CallReply> =>
        this.callWire(operation, input, key === undefined ? options : { ...options, key });
      // A body is read once, so the call cannot be sent again.
      if (call.body !== undefined) return reply;
      if (isAgentUnknown(reply)) return this.#withoutAgent(identity, reply, again, operation);
      if (!this.#retrier.isOn) return reply;
      const retried = { startedMs, isSafe: isRepeatable(operation, input, key), signal: call.signal };
      return this.#retrier
        .retry(reply, retried, send)
        .then((last) => (isAgentUnknown(last) ? this.#withoutAgent(identity, last, again, operation) : last));
    };
    // Not an async function: almost every call succeeds at once, and another promise would only cost time.
    return send().then((reply) => {
      if (reply.outcome.kind === "done") return reply;
      const loadingText = loadProblem(reply.outcome.code);
      return loadingText === undefined ? settle(reply) : loadingText.then(() => settle(reply));
    });
  }

  /** Push messages to an owner, in the form of the client. */
  notices(query: NoticeQuery): AsyncIterableIterator<readonly OwnerNotice[]> {
    return mapPages(this.transport.notices(query), (notice) => noticeToClient(notice) as OwnerNotice);
  }

  /** One attempt. An error of the transport becomes a refusal. */
  async once(operation: string, input: unknown, options: CallOptions = {}): Promise<CallReply> {
    const named = this.identity === undefined ? options : { ...credentialsOf(this.identity), ...options };
    const { wire, refused } = inputToWire(operation, input);
    if (refused !== undefined) return refused;
    const reply = await this.transport.call(operation, wire, named).catch(thrownReply);
    return replyToClient(operation, reply);
  }

  async run(operation: string, input: unknown, options: CallOptions = {}): Promise<unknown> {
    // Only the outcome is passed on.
    return resultOf(operation, await this.call(operation, input, { ...options, events: false }));
  }

  /** The same with the members of the wire. */
  async runWire(operation: string, input: unknown, options: CallOptions = {}): Promise<unknown> {
    return resultOf(operation, await this.callWire(operation, input, { ...options, events: false }), { isWire: true });
  }

  /** The same caller with another identity and the same retries. */
  as(identity: Identity | undefined): CallSender {
    const { transport, clock } = this;
    const shared = { transport, clock, retrier: this.#retrier, makesKeys: this.#makesKeys, reads: this.#reads };
    return new CallSender(shared, identity);
  }

  /** A closed client does not retry. */
  stop(): void {
    this.#retrier.stop();
  }

  #completed(operation: string, input: unknown, options: CallOptions): CallOptions {
    const { identity } = this;
    const isNamed = identity !== undefined && options.agent === undefined;
    const isKeyed = this.#makesKeys && this.#retrier.isOn && options.key === undefined && needsKey(operation, input);
    if (!isNamed && !isKeyed && this.#reads === undefined) return options;
    const credentials = isNamed ? credentialsOf(identity) : undefined;
    const key = isKeyed ? this.clock.unique() : undefined;
    return { reads: this.#reads, ...credentials, key, ...options };
  }

  /** Calls that are not about locks continue without an agent, if the client had registered it. */
  #withoutAgent(
    sent: Identity | undefined,
    reply: CallReply,
    again: () => Promise<CallReply>,
    operation: string,
  ): CallReply | Promise<CallReply> {
    const data = reply.outcome.data as Readonly<Record<string, unknown>>;
    if (sent === undefined || data["agent_id"] !== sent.agent) return reply;
    this.onAgentEnded?.(sent.agent, data);
    if (sent.isOwn !== true) return reply;
    if (this.identity?.agent === sent.agent) this.identity = undefined;
    return needsAgent(operation) ? reply : again();
  }
}

function resultOf(
  operation: string,
  { outcome, position, replayed }: CallReply,
  form: { readonly isWire?: true } = {},
): unknown {
  if (outcome.kind === "done") return outcome.data;
  throw new HoldfastError(operation, outcome.code, { data: outcome.data, position, replayed, ...form });
}

function thrownReply(error: unknown): CallReply {
  if (error instanceof HoldfastError) return callRefusal(error.code, error.data);
  return callRefusal("outcome_unknown", { reason: String(error) });
}

const isAgentUnknown = ({ outcome }: CallReply): boolean =>
  outcome.kind === "refusal" && outcome.code === "agent_unknown";

const needsAgent = (operation: string): boolean => operationData(operation)?.needsAgent === true;

export function credentialsOf({ agent, agentSecret }: Identity): Pick<CallOptions, "agent" | "agentSecret"> {
  return agentSecret === undefined ? { agent } : { agent, agentSecret };
}
