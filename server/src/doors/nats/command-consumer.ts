/**
 * Takes commands from the durable stream. A command is acknowledged only after its outcome is in the journal; until then
 * the server hands it out again, to this runtime or another. Its key, the sender's or one made of its place in the stream,
 * is what makes that harmless.
 */
import type { ConsumerMessages, JetStreamManager, JsMsg } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { NatsCounters } from "./nats-counters.ts";
import { handleCommand } from "./handle-command.ts";
import type { CommandHandlerOptions, HandledCommand } from "./handle-command.ts";
import type { NatsLimits } from "./nats-limits.ts";
import type { MeshEvent } from "./mesh-event.ts";
import { parkCommand } from "./park-command.ts";
import { implicitKeyPrefix, replyAddress } from "./read-command.ts";
import { sendAnswer } from "./send-answer.ts";
import { consumerName, ensureCommandStream, ensureConsumer } from "./streams.ts";

export interface CommandConsumerOptions extends CommandHandlerOptions {
  readonly nc: NatsConnection;
  readonly jsm: JetStreamManager;
  readonly limits: NatsLimits;
  readonly counters: NatsCounters;
  readonly stop: AbortSignal;
  /** Tells an event once more. */
  readonly repeat: (event: MeshEvent, position: number) => Promise<void>;
  readonly report: (message: string, cause: unknown) => void;
}

export class CommandConsumer {
  readonly #options: CommandConsumerOptions;
  readonly #inFlight = new Set<Promise<void>>();

  constructor(options: CommandConsumerOptions) {
    this.#options = options;
  }

  /** Goes on until it is stopped, or the consumer is gone; then it can be run again. */
  async run(onReady: () => void): Promise<void> {
    const { jsm, limits, stop } = this.#options;
    const { config, created } = await ensureCommandStream(jsm);
    await ensureConsumer(jsm, config.name, limits);
    const consumer = await jsm.jetstream().consumers.get(config.name, consumerName);
    const messages = await consumer.consume({
      max_messages: Math.ceil(limits.inFlightMax / 2),
      expires: 30_000,
      idle_heartbeat: 5_000,
      abort_on_missing_resource: true,
    });
    // It may be gone with its connection; then there is nothing left to end.
    const end = (): void => void messages.close().catch(() => undefined);
    stop.addEventListener("abort", end);
    if (stop.aborted) end();
    onReady();
    try {
      await this.#take(messages, `${implicitKeyPrefix}${config.name}:${created}`);
    } finally {
      stop.removeEventListener("abort", end);
      end();
      await Promise.all(this.#inFlight);
    }
  }

  async #take(messages: ConsumerMessages, keyStart: string): Promise<void> {
    const { limits } = this.#options;
    for await (const message of messages) {
      const work = this.#handle(message, `${keyStart}:${message.seq}`).finally(() => this.#inFlight.delete(work));
      this.#inFlight.add(work);
      // What is beyond this waits in the stream.
      while (this.#inFlight.size >= limits.inFlightMax) await Promise.race(this.#inFlight);
    }
  }

  async #handle(message: JsMsg, key: string): Promise<void> {
    const { counters, limits, report } = this.#options;
    const { deliveryCount } = message.info;
    counters.commands += 1;
    if (deliveryCount > 1) counters.redeliveries += 1;
    try {
      const handled = await handleCommand(this.#options, message, { key, deadlineMs: limits.deadlineMs });
      await this.#settle(message, handled, key);
    } catch (error) {
      report("what came of a command from NATS could not be told; it is delivered again", error);
      message.nak(limits.redeliveryMs);
    }
  }

  async #settle(message: JsMsg, handled: HandledCommand, key: string): Promise<void> {
    const { limits } = this.#options;
    const { verdict, code } = handled;
    const { deliveryCount } = message.info;
    const isLast = deliveryCount >= limits.deliveriesMax;
    if (verdict === "done") {
      await this.#tell(message, handled);
      message.ack();
    } else if (isLast && (verdict === "unreadable" || code === "internal_error")) {
      await parkCommand(this.#options, message, { code: code ?? "", key });
      this.#answer(message, handled);
      message.term();
    } else {
      if (verdict === "unreadable" && deliveryCount === 1) this.#answer(message, handled);
      message.nak(handled.retryAfterMs ?? limits.redeliveryMs * 2 ** Math.min(deliveryCount - 1, 5));
    }
  }

  /** Events of this very command are published from the journal; those of a command that came again are told again here. */
  async #tell(message: JsMsg, handled: HandledCommand): Promise<void> {
    const { answer, replayed, position } = handled;
    if (replayed === true && answer.event !== undefined) await this.#options.repeat(answer.event, position ?? 0);
    this.#answer(message, handled);
  }

  /** A command in a stream has no sender to answer to, unless it says where the answer goes. */
  #answer(message: JsMsg, { answer }: HandledCommand): void {
    const address = replyAddress(message);
    if (address !== undefined) sendAnswer(this.#options.nc, address, answer);
  }
}
