import type { WebSocket } from "ws";
import { closeCodes, protocolMismatch, socketProtocol } from "@holdfast/sdk/contract";
import type { CallMessage, ClientMessage, SocketProblem } from "@holdfast/sdk/contract";
import { HoldfastError } from "@holdfast/sdk";
import { callRefusal } from "@holdfast/sdk/call-refusal";
import type { DoorCallOptions } from "../../operations/door-call-options.ts";
import type { Canonical } from "@holdfast/sdk/json/canonical";
import type { InputFault } from "@holdfast/sdk/json/input-fault";
import { isRejection } from "../../access/gate.ts";
import type { AdmittedCaller, Rejection } from "../../access/gate.ts";
import type { Clock } from "../../base/clock.ts";
import type { Call } from "../../operations/call.ts";
import type { OperationRegistry } from "../../operations/registry.ts";
import { unknownOperation } from "../../operations/unknown-operation.ts";
import type { SocketLimits } from "./limits.ts";
import { Outbox } from "./outbox.ts";
import type { Pace } from "../pace.ts";
import { FrameFault, readFrame } from "./read-frame.ts";
import type { Frame } from "./read-frame.ts";
import { replyText } from "./reply-text.ts";
import { Watches } from "./watches.ts";

interface ConnectionOptions {
  readonly operations: OperationRegistry;
  readonly clock: Clock;
  readonly limits: SocketLimits;
  readonly pace: Pace;
  readonly version: string;
  /** Receives errors of bugs. */
  readonly report: (message: string, cause: unknown) => void;
  /** Admits a caller with the token of its `hello`, if it sent one. */
  readonly admit: (token: string | undefined) => Promise<AdmittedCaller | Rejection>;
}

type Agent = Pick<DoorCallOptions, "agent" | "agentSecret" | "agentProof">;

const noFrame: Frame = { messages: [], faults: new Map(), messageBytes: 0 };
const noInput: InputFault = { reason: "undefined_value", pointer: "" };

/**
 * One socket. It processes messages in order, and answers calls when their entries are durable. It stops reading while
 * too many calls are pending, or the client does not read.
 */
export class Connection {
  readonly #socket: WebSocket;
  readonly #options: ConnectionOptions;
  readonly #outbox: Outbox;
  readonly #watches: Watches;
  readonly #agents = new Map<number, Agent>();
  readonly #ended = Promise.withResolvers<undefined>();
  readonly #cancelHello: () => void;
  #caller: AdmittedCaller | undefined;
  #frame = noFrame;
  #processedCount = 0;
  #pendingFrames: Frame[] = [];
  #callCount = 0;
  /** Calls that arrived together. They are submitted together, so that they share a batch. */
  #calls: Call[] = [];
  #isProcessing = false;
  #malformedCount = 0;
  /** A message whose order matters is being processed. */
  #isRunningAlone = false;
  #isStopping = false;
  #isOver = false;
  /** Aborts with the connection. It is made for the first call that runs a check. */
  #gone: AbortController | undefined;
  readonly #hangUp = (): AbortSignal => (this.#gone ??= new AbortController()).signal;

  constructor(socket: WebSocket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    const { clock, limits } = options;
    this.#outbox = new Outbox(socket, {
      clock,
      limits,
      onDrain: () => {
        this.#process();
        this.#watches.wake();
      },
    });
    this.#watches = new Watches({ outbox: this.#outbox, pace: options.pace, limits });
    const closeSilent = (): void => {
      socket.close(closeCodes.silent, "no hello");
    };
    this.#cancelHello = clock.after(limits.helloMsMax, closeSilent, { keepAlive: false });
    socket.on("message", (data: Buffer, isBinary) => {
      this.#receive(isBinary ? undefined : data.toString("utf8"));
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.#end();
    });
  }

  /** Answers pending calls, sends `bye` and closes. Nothing more is read. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#socket.pause();
    this.#watches.stop();
    const { clock, limits } = this.#options;
    const terminate = (): void => {
      this.#socket.terminate();
    };
    const cancel = clock.after(limits.goodbyeMsMax, terminate, { keepAlive: true });
    if (this.#callCount === 0) this.#sendBye();
    await this.#ended.promise;
    cancel();
  }

  #sendBye(): void {
    this.#socket.resume();
    this.#outbox.push('{"kind":"bye","reason":"stopping"}');
    this.#outbox.flush();
    this.#socket.close(closeCodes.goingAway, "stopping");
  }

  #end(): void {
    this.#gone?.abort();
    this.#cancelHello();
    this.#outbox.stop();
    this.#watches.stop();
    this.#isOver = true;
    this.#frame = noFrame;
    this.#processedCount = 0;
    this.#pendingFrames = [];
    this.#ended.resolve(undefined);
  }

  #receive(text: string | undefined): void {
    if (this.#isOver || this.#isStopping) return;
    try {
      if (text === undefined) throw new FrameFault("frames are text");
      this.#pendingFrames.push(readFrame(text));
    } catch (error) {
      if (!(error instanceof FrameFault)) throw error;
      this.#sendProblem({ code: "frame_malformed", data: { reason: error.message } });
    }
    this.#process();
  }

  #sendProblem(problem: SocketProblem, id?: number): void {
    this.#outbox.push(JSON.stringify({ kind: "problem", id, problem }));
    if (problem.code !== "frame_malformed") return;
    this.#malformedCount += 1;
    if (this.#malformedCount >= this.#options.limits.malformedMax) this.#close(closeCodes.malformed, "malformed");
  }

  #close(code: number, reason: string): void {
    this.#outbox.flush();
    // A paused socket would never receive the client's close.
    this.#socket.resume();
    this.#socket.close(code, reason);
    this.#end();
  }

  /** Processes messages while there is capacity. A call that is answered at once may make room for more. */
  #process(): void {
    if (this.#isProcessing) return;
    this.#isProcessing = true;
    try {
      do {
        this.#processMessages();
        this.#submitCalls();
      } while (this.#isBehind && this.#hasCapacity());
    } catch (error) {
      this.#fail(error);
    }
    this.#isProcessing = false;
    this.#readOrWait();
  }

  #processMessages(): void {
    while (this.#hasCapacity()) {
      if (this.#processedCount === this.#frame.messages.length) {
        const next = this.#pendingFrames.shift();
        this.#processedCount = 0;
        this.#frame = next ?? noFrame;
        if (next === undefined) return;
        continue;
      }
      const index = this.#processedCount;
      this.#processedCount += 1;
      this.#processMessage(this.#frame, index);
    }
  }

  /** Submits the collected calls, in order. */
  #submitCalls(): void {
    const calls = this.#calls;
    if (calls.length === 0) return;
    this.#calls = [];
    this.#caller?.calls.submit(calls);
  }

  /** A bug. It ends only this socket: its client reconnects and repeats its pending calls. */
  #fail(error: unknown): void {
    this.#options.report("a message over the socket failed because of a bug", error);
    this.#close(closeCodes.defect, "internal error");
  }

  #hasCapacity(): boolean {
    return (
      !this.#isRunningAlone &&
      !this.#isOver &&
      !this.#isStopping &&
      this.#callCount < this.#options.limits.callsMax &&
      !this.#outbox.isFull
    );
  }

  /** Messages wait for capacity. */
  get #isBehind(): boolean {
    return this.#processedCount < this.#frame.messages.length || this.#pendingFrames.length > 0;
  }

  #readOrWait(): void {
    if (this.#isStopping || this.#isOver) return;
    if (this.#isBehind === this.#socket.isPaused) return;
    if (this.#isBehind) this.#socket.pause();
    else this.#socket.resume();
  }

  #processMessage(frame: Frame, index: number): void {
    const message = frame.messages[index] as ClientMessage;
    if (message.kind === "hello") {
      this.#hello(message.protocol, message.token);
      return;
    }
    if (this.#caller === undefined) {
      this.#sendProblem({ code: "frame_malformed", data: { reason: "the first message must be hello" } });
      return;
    }
    switch (message.kind) {
      case "call":
        this.#call(message, frame, frame.faults.get(index));
        return;
      case "agent":
        this.#agents.set(message.as, agentOf(message));
        if (this.#agents.size > this.#options.limits.agentsMax) this.#close(closeCodes.refused, "too many agents");
        return;
      case "watch":
        this.#watch(this.#caller, message);
        return;
      case "listen":
        this.#listen(this.#caller, message);
        return;
      case "unwatch":
        this.#watches.end(message.id);
        return;
      case "more":
        this.#watches.more(message.id, message.count);
        return;
      case "cursor":
        this.#runAlone(this.#caller.calls.cursor(), (cursor) => {
          this.#outbox.push(JSON.stringify({ kind: "cursor", id: message.id, cursor }));
        });
        return;
      case "ping":
        this.#outbox.push(`{"kind":"pong","id":${message.id}}`);
        return;
    }
  }

  #hello(protocol: number, token: string | undefined): void {
    const { admit, version } = this.#options;
    if (this.#caller !== undefined) {
      this.#sendProblem({ code: "frame_malformed", data: { reason: "hello was already sent" } });
      return;
    }
    const mismatch = protocolMismatch(protocol, socketProtocol);
    const admitted = mismatch === undefined ? admit(token) : Promise.resolve(mismatch);
    this.#runAlone(
      admitted.then(async (caller) => (isRejection(caller) ? caller : this.#accept(caller))),
      (answer) => {
        if (typeof answer !== "string") {
          this.#sendProblem(answer);
          this.#close(closeCodes.refused, answer.code);
          return;
        }
        const epoch = Number(answer.slice(0, answer.indexOf(".")));
        const welcome = { kind: "welcome", protocol: socketProtocol, version, epoch, cursor: answer };
        this.#outbox.push(JSON.stringify(welcome));
      },
    );
  }

  #accept(caller: AdmittedCaller): Promise<string> {
    this.#cancelHello();
    this.#caller = caller;
    return caller.calls.cursor();
  }

  /** Processes no later message before this work is done. */
  #runAlone<Result>(work: Promise<Result>, then: (result: Result) => void): void {
    this.#isRunningAlone = true;
    void work
      .then(then)
      .catch((error: unknown) => {
        // A refusal here means that the node is stopping, or that the token has become invalid.
        if (error instanceof HoldfastError) this.#close(closeCodes.goingAway, "stopping");
        else this.#fail(error);
      })
      .finally(() => {
        this.#isRunningAlone = false;
        this.#process();
      });
  }

  #call(message: CallMessage, frame: Frame, fault: InputFault | undefined): void {
    const agent = message.as === undefined ? undefined : this.#agents.get(message.as);
    if (agent === undefined && message.as !== undefined) {
      this.#sendProblem(
        {
          code: "frame_malformed",
          data: { reason: `Unknown agent number ${message.as}. Send an \`agent\` message first.` },
        },
        message.id,
      );
      return;
    }
    if (fault !== undefined || message.input === undefined) {
      this.#outbox.push(replyText(message.id, callRefusal("input_malformed", { ...(fault ?? noInput) })));
      return;
    }
    this.#callCount += 1;
    const options = optionsOf(message, agent, { inputBytes: frame.messageBytes, hangUp: this.#hangUp });
    const { id, operation } = message;
    this.#calls.push({
      record: this.#options.operations.find(operation) ?? unknownOperation(operation),
      input: message.input as Canonical,
      options,
      answer: (reply) => {
        this.#answer(replyText(id, reply));
      },
      fail: () => {
        this.#answer(replyText(id, undefined));
      },
    });
  }

  #answer(text: string): void {
    this.#callCount -= 1;
    this.#outbox.push(text);
    if (this.#isStopping && this.#callCount === 0) this.#sendBye();
    // Checked once per call, and only if something waits for capacity.
    else if (this.#isBehind) this.#process();
  }

  #watch({ calls }: AdmittedCaller, message: Extract<ClientMessage, { kind: "watch" }>): void {
    const refusal = this.#watches.refusalOf(message);
    if (refusal !== undefined) {
      this.#sendProblem(refusal, message.id);
      return;
    }
    const start = (after: string): void => {
      if (this.#socket.readyState === this.#socket.OPEN) this.#watches.watch(calls, message, after);
    };
    if (message.after === undefined) this.#runAlone(calls.cursor(), start);
    else start(message.after);
  }

  #listen({ calls }: AdmittedCaller, message: Extract<ClientMessage, { kind: "listen" }>): void {
    const refusal = this.#watches.refusalOf(message);
    if (refusal === undefined) this.#watches.listen(calls, message);
    else this.#sendProblem(refusal, message.id);
  }
}

function agentOf({ agent, secret }: Extract<ClientMessage, { kind: "agent" }>): Agent {
  return secret === undefined ? { agent } : { agent, agentSecret: secret, agentProof: {} };
}

/** Sets only the members that a message has. Each call runs this, so it makes one object. */
function optionsOf(
  message: CallMessage,
  agent: Agent | undefined,
  { inputBytes, hangUp }: Required<Pick<DoorCallOptions, "inputBytes" | "hangUp">>,
): DoorCallOptions {
  const options: { -readonly [Name in keyof DoorCallOptions]: DoorCallOptions[Name] } = { inputBytes, hangUp };
  const { key, events, deadline_ms: deadlineMs, trace, retry, reads } = message;
  if (agent?.agent !== undefined) options.agent = agent.agent;
  if (agent?.agentSecret !== undefined) options.agentSecret = agent.agentSecret;
  if (agent?.agentProof !== undefined) options.agentProof = agent.agentProof;
  if (key !== undefined) options.key = key;
  if (events !== undefined) options.events = events;
  if (deadlineMs !== undefined) options.deadlineMs = deadlineMs;
  if (trace !== undefined) options.trace = trace;
  if (retry !== undefined) options.retry = retry;
  if (reads !== undefined) options.reads = reads;
  return options;
}
