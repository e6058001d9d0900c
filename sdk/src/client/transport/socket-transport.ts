import type { Notice, NoticeQuery } from "../../contract/notices.ts";
import { frameBytesMax } from "../../contract/socket-protocol.ts";
import type { ClientMessage, ServerMessage, SocketProblem } from "../../contract/socket-protocol.ts";
import { defined } from "../../base/defined.ts";
import { canonicalValue } from "../../json/canonical-value.ts";
import { inputLimits } from "../../json/input-limits.ts";
import { mayWorkElsewhere } from "./address-ring.ts";
import { HoldfastError } from "../holdfast-error.ts";
import { isRepeatable } from "../repeatable.ts";
import { SocketLink } from "./socket-link.ts";
import type { LinkOptions } from "./socket-link.ts";
import { AgentNumbers } from "../agent-numbers.ts";
import type { NumberedAgent } from "../agent-numbers.ts";
import type { SocketWatcher } from "./socket-watcher.ts";
import { SocketWatchers } from "./socket-watchers.ts";
import type { CallOptions, CallReply, Transport, WatchedEvent, WatchRequest } from "./transport.ts";
import { callRefusal } from "../call-refusal.ts";

/** A call without a reply. */
interface Pending {
  readonly id: number;
  /** Without the agent's number, which differs per connection. */
  readonly message: string;
  readonly agent: string | undefined;
  readonly agentSecret: string | undefined;
  readonly isRepeatable: boolean;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (reply: CallReply) => void;
  isSent: boolean;
  /** The agent, with the number under which the call was sent on the current connection. */
  numbered?: NumberedAgent;
  cancelDeadline?: () => void;
}

/** Number of calls of one tick that are sent at once. */
const frameCallsMax = 64;
/** Approximate maximum characters of a frame. A longer message has a frame of its own. */
const frameCharsMax = 512 * 1_024;
/** Maximum bytes in the socket's buffer. Beyond it calls wait here, where they can still be aborted. */
const bufferedBytesMax = 1_048_576;
/** Interval between checks of a full buffer. */
const bufferPollMs = 5;
/** Bytes of a frame in addition to one call: its brackets and the agent's number. */
const frameOverheadBytes = 2 + '"as":4095,'.length;

/**
 * Calls and watches of any number of agents over one socket. Calls of one tick share frames. After a lost connection
 * watches resume after their last page. Calls in flight are sent again if that is safe: if they have a key, or the same
 * result when they run twice.
 */
export class SocketTransport implements Transport {
  readonly #options: LinkOptions;
  readonly #link: SocketLink;
  readonly #calls = new Map<number, Pending>();
  readonly #watchers: SocketWatchers;
  readonly #cursors = new Map<number, { resolve: (cursor: string) => void; reject: (error: Error) => void }>();
  #agentNumbers: AgentNumbers;
  #unsent: string[] = [];
  #queue: Pending[] = [];
  #lastId = 0;
  #isScheduled = false;
  #isClosed = false;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#agentNumbers = new AgentNumbers(options.agentsMax);
    this.#watchers = new SocketWatchers({
      newId: () => (this.#lastId += 1),
      send: (message) => {
        this.#send(message);
      },
    });
    this.#link = new SocketLink(options, {
      opened: () => this.#opened(),
      received: (message) => {
        this.#received(message);
      },
      lost: () => {
        this.#lost();
      },
      failed: (problem, why) => {
        this.#failed(problem, why);
      },
      isNeeded: () => this.#calls.size + this.#watchers.count + this.#cursors.size > 0,
    });
  }

  call(operation: string, input: unknown, options: CallOptions): Promise<CallReply> {
    if (this.#isClosed) return Promise.resolve(callRefusal("closed", {}));
    if (options.body !== undefined || options.acceptsStream === true) return this.#sendBytes(operation, input, options);
    const parsed = canonicalValue(input, inputLimits);
    if (!parsed.ok) return Promise.resolve(callRefusal("input_malformed", { ...parsed.fault }));
    const { key, signal, deadlineMs, agent, agentSecret, trace, retry, reads, events } = options;
    this.#lastId += 1;
    const id = this.#lastId;
    const fields = { kind: "call", id, operation, key, deadline_ms: deadlineMs, trace, retry, reads, events };
    const head = JSON.stringify(fields);
    const message = `${head.slice(0, -1)},"input":${JSON.stringify(parsed.value)}}`;
    if (isTooLarge(message)) return Promise.resolve(callRefusal("frame_too_large", { limit: frameBytesMax }));
    return new Promise((resolve) => {
      const pending: Pending = {
        id,
        message,
        agent,
        agentSecret,
        isRepeatable: isRepeatable(operation, input, key),
        signal,
        resolve,
        isSent: false,
      };
      if (deadlineMs !== undefined) pending.cancelDeadline = this.#deadline(pending, deadlineMs);
      this.#calls.set(id, pending);
      this.#queue.push(pending);
      // The server processes a frame while the client makes the next one.
      if (this.#queue.length % frameCallsMax === 0 && this.#link.isOpen) this.#flush();
      else this.#schedule();
    });
  }

  /** A socket carries no bytes, so the call goes over HTTP with the same credentials. A Unix socket has no address. */
  async #sendBytes(operation: string, input: unknown, options: CallOptions): Promise<CallReply> {
    if (this.#options.openSocket !== undefined) return callRefusal("operation_needs_http", { operation });
    const { httpStreamedCall } = await import("./http-streamed-call.ts");
    return httpStreamedCall(this.#options, operation, input, options);
  }

  watch(request: WatchRequest): AsyncIterableIterator<readonly WatchedEvent[]> {
    return this.#begin(this.#watchers.watch(request));
  }

  notices(query: NoticeQuery): AsyncIterableIterator<readonly Notice[]> {
    return this.#begin(this.#watchers.listen(query));
  }

  #begin<Item>(watcher: SocketWatcher<Item>): SocketWatcher<Item> {
    if (this.#isClosed) watcher.finish();
    else if (this.#link.isOpen) this.#send(watcher.message);
    else this.#link.start();
    return watcher;
  }

  cursor(): Promise<string> {
    if (this.#isClosed) return Promise.reject(problemError({ code: "closed", data: {} }));
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#cursors.set(id, { resolve, reject });
      if (this.#link.isOpen) this.#send({ kind: "cursor", id });
      else this.#link.start();
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#flush();
    this.#link.close();
    this.#watchers.endAll();
    this.#rejectCursors({ code: "closed", data: {} });
    for (const pending of this.#calls.values()) {
      this.#settle(
        pending,
        callRefusal(pending.isSent ? "outcome_unknown" : "closed", { reason: "the client is closed" }),
      );
    }
  }

  /** A new connection gets everything that is still pending: watches, calls and their agents. */
  #opened(): readonly string[] {
    this.#unsent = [];
    this.#agentNumbers = new AgentNumbers(this.#options.agentsMax);
    this.#queue = [...this.#calls.values()];
    for (const pending of this.#queue) delete pending.numbered;
    const watches = this.#watchers.renewed().map((message) => JSON.stringify(message));
    const cursors = [...this.#cursors.keys()].map((id) => JSON.stringify({ kind: "cursor", id }));
    this.#schedule();
    return [...watches, ...cursors];
  }

  #send(message: ClientMessage): void {
    // Without a connection there is nothing to send. A new connection gets all pending state.
    if (!this.#link.isOpen) return;
    // Keeps the caller's order: its watch begins before its next call.
    this.#unsent.push(...this.#takeQueued(), JSON.stringify(message));
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#options.clock.soon(this.#flush);
  }

  readonly #flush = (): void => {
    this.#isScheduled = false;
    if (!this.#link.isOpen) {
      if (this.#queue.length > 0 && !this.#isClosed) this.#link.start();
      return;
    }
    if (this.#link.bufferedBytes > bufferedBytesMax) {
      this.#isScheduled = true;
      this.#options.clock.after(bufferPollMs, this.#flush, { keepAlive: true });
      return;
    }
    const messages = [...this.#unsent, ...this.#takeQueued()];
    this.#unsent = [];
    for (const frame of framesOf(messages)) this.#link.send(frame);
  };

  /** The messages of the calls to send. Calls whose agents have no number stay. */
  #takeQueued(): string[] {
    const queue = this.#queue;
    this.#queue = [];
    const messages: string[] = [];
    for (const pending of queue) {
      if (pending.signal?.aborted === true) this.#forget(pending);
      if (!this.#calls.has(pending.id)) continue;
      if (this.#addTo(messages, pending)) pending.isSent = true;
      else this.#queue.push(pending);
    }
    return messages;
  }

  /** Adds a call, and its agent if the server does not know it. False if the call must wait. */
  #addTo(messages: string[], pending: Pending): boolean {
    const { message, agent, agentSecret } = pending;
    if (agent === undefined) {
      messages.push(message);
      return true;
    }
    const assigned = this.#agentNumbers.assign(agent, agentSecret);
    if (assigned === undefined) return false;
    const { numbered, isNew } = assigned;
    pending.numbered = numbered;
    if (isNew) messages.push(agentMessage(numbered));
    messages.push(`{"as":${numbered.as},${message.slice(1)}`);
    return true;
  }

  #received(message: ServerMessage): void {
    switch (message.kind) {
      case "reply":
        this.#replied(message);
        return;
      case "events":
      case "notices":
      case "watching":
        this.#watchers.take(message);
        return;
      case "ended":
        // Another node continues the watches, if there is one.
        if (!this.#leavesFor(message.problem?.code)) this.#watchers.take(message);
        return;
      case "cursor":
        this.#cursors.get(message.id)?.resolve(message.cursor);
        this.#cursors.delete(message.id);
        return;
      case "problem":
        this.#refused(message.id, message.problem);
        return;
      case "welcome":
      case "pong":
      case "bye":
    }
  }

  #replied({ id, outcome, position, replayed, events }: Extract<ServerMessage, { kind: "reply" }>): void {
    const pending = this.#calls.get(id);
    if (pending !== undefined) this.#settle(pending, { outcome, position, replayed, events } as CallReply);
    // A retry should use another node.
    if (outcome.kind === "refusal") this.#leavesFor(outcome.code);
  }

  /**
   * Leaves a node that cannot work for another one. Calls that would be lost keep the connection. True is not a guarantee.
   */
  #leavesFor(code: string | undefined): boolean {
    if (code === undefined || !mayWorkElsewhere(code) || this.#options.nodes.size === 1) return false;
    const isSafe = [...this.#calls.values()].every(({ isSent, isRepeatable: mayRepeat }) => !isSent || mayRepeat);
    if (isSafe) this.#link.leave();
    return isSafe;
  }

  #refused(id: number | undefined, { code, data }: SocketProblem): void {
    if (id === undefined) return;
    this.#watchers.refused(id, { code, data });
    const pending = this.#calls.get(id);
    if (pending !== undefined) this.#settle(pending, callRefusal(code, data));
  }

  /** A call that may have run, and would run a second time if it were sent again, is left to the caller. */
  #lost(): void {
    for (const pending of this.#calls.values()) {
      if (!pending.isSent || pending.isRepeatable) continue;
      this.#settle(
        pending,
        callRefusal("outcome_unknown", { reason: "the connection broke before the reply arrived" }),
      );
    }
  }

  #failed(problem: SocketProblem | undefined, why: string): void {
    const failure = this.#options.nodes.failure(why);
    const { code, data } = problem ?? { code: "unreachable", data: failure };
    this.#watchers.endAll({ code, data });
    this.#rejectCursors({ code, data });
    for (const pending of this.#calls.values()) {
      const isUnknown = pending.isSent && problem === undefined;
      this.#settle(pending, isUnknown ? callRefusal("outcome_unknown", failure) : callRefusal(code, data));
    }
  }

  #rejectCursors(problem: SocketProblem): void {
    for (const { reject } of this.#cursors.values()) reject(problemError(problem));
    this.#cursors.clear();
  }

  /** With a connection the server enforces the deadline. Without one the transport does. */
  #deadline(pending: Pending, deadlineMs: number): () => void {
    const expire = (): void => {
      if (pending.isSent && this.#link.isOpen) return;
      this.#settle(pending, callRefusal(pending.isSent ? "outcome_unknown" : "deadline_passed", {}));
    };
    return this.#options.clock.after(deadlineMs, expire, { keepAlive: true });
  }

  #settle(pending: Pending, reply: CallReply): void {
    this.#forget(pending);
    pending.resolve(reply);
  }

  #forget(pending: Pending): void {
    if (!this.#calls.delete(pending.id)) return;
    pending.cancelDeadline?.();
    if (pending.numbered === undefined) return;
    this.#agentNumbers.answered(pending.numbered);
    delete pending.numbered;
    // Another call may wait for this number.
    if (this.#queue.length > 0) this.#schedule();
  }
}

function agentMessage({ as, agent, secret }: NumberedAgent): string {
  const message: ClientMessage = defined({ kind: "agent" as const, as, agent, secret });
  return JSON.stringify(message);
}

function problemError({ code, data }: SocketProblem): HoldfastError {
  return new HoldfastError("cursor", code, { data });
}

function isTooLarge(message: string): boolean {
  // A character has at most three bytes. They are counted only if that could exceed the limit.
  const bytesMax = frameBytesMax - frameOverheadBytes;
  return message.length * 3 > bytesMax && new TextEncoder().encode(message).length > bytesMax;
}

function* framesOf(messages: readonly string[]): Generator<string> {
  let from = 0;
  let chars = 0;
  for (const [index, message] of messages.entries()) {
    if (chars > 0 && chars + message.length > frameCharsMax) {
      yield `[${messages.slice(from, index).join(",")}]`;
      from = index;
      chars = 0;
    }
    chars += message.length;
  }
  if (from < messages.length) yield `[${(from === 0 ? messages : messages.slice(from)).join(",")}]`;
}
