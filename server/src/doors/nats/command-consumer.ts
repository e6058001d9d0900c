/**
 * Consumes commands from the durable stream. A command is acknowledged only after its outcome is in the journal. Until
 * then the nats-server redelivers it, to this runtime or to another. The idempotency key makes a redelivery safe. It is
 * the key of the sender, or a key made from the sequence in the stream.
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

interface CommandConsumerOptions extends CommandHandlerOptions {
  readonly nc: NatsConnection;
  readonly jsm: JetStreamManager;
  readonly limits: NatsLimits;
  readonly counters: NatsCounters;
  readonly stop: AbortSignal;
  /** Publishes an event again. */
  readonly repeat: (event: MeshEvent, position: number) => Promise<void>;
  readonly report: (message: string, cause: unknown) => void;
}

export class CommandConsumer {
  readonly #options: CommandConsumerOptions;
  readonly #inFlight = new Set<Promise<void>>();

  constructor(options: CommandConsumerOptions) {
    this.#options = options;
  }

  /** Runs until it is stopped or the consumer is deleted. It can be run again afterwards. */
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
    // The subscription may have ended with its connection.
    const end = (): void => void messages.close().catch(() => undefined);
    stop.addEventListener("abort", end);
    if (stop.aborted) end();
    onReady();
    try {
      await this.#consume(messages, `${implicitKeyPrefix}${config.name}:${created}`);
    } finally {
      stop.removeEventListener("abort", end);
      end();
      await Promise.all(this.#inFlight);
    }
  }

  async #consume(messages: ConsumerMessages, keyStart: string): Promise<void> {
    const { limits } = this.#options;
    for await (const message of messages) {
      const work = this.#handle(message, `${keyStart}:${message.seq}`).finally(() => this.#inFlight.delete(work));
      this.#inFlight.add(work);
      // Further messages wait in the stream.
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
      report("the outcome of a command from NATS could not be sent; the command is redelivered", error);
      message.nak(limits.redeliveryMs);
    }
  }

  async #settle(message: JsMsg, handled: HandledCommand, key: string): Promise<void> {
    const { limits } = this.#options;
    const { verdict, code } = handled;
    const { deliveryCount } = message.info;
    const isLast = deliveryCount >= limits.deliveriesMax;
    if (verdict === "done") {
      await this.#publishResult(message, handled);
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

  /** New events are published from the journal. The event of a repeated command is published again here. */
  async #publishResult(message: JsMsg, handled: HandledCommand): Promise<void> {
    const { answer, replayed, position } = handled;
    if (replayed === true && answer.event !== undefined) await this.#options.repeat(answer.event, position ?? 0);
    this.#answer(message, handled);
  }

  /** A message in a stream has no reply subject. The answer goes to the address in its header, if there is one. */
  #answer(message: JsMsg, { answer }: HandledCommand): void {
    const address = replyAddress(message, this.#options.replies);
    if (address !== undefined) sendAnswer(this.#options.nc, address, answer);
  }
}
