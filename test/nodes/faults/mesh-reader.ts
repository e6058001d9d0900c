/** Reads the events that the nodes publish to the mesh, and compares them with their journal. */
import assert from "node:assert/strict";
import { DeliverPolicy } from "@nats-io/jetstream";
import type { JsMsg } from "@nats-io/jetstream";
import { systemClock } from "../../../server/src/base/clock.ts";
import { openPostgresJournal } from "../../../server/src/journal/postgres/open.ts";
import type { Entry } from "../../../server/src/machine/entry.ts";
import { MeshAgent } from "../../mesh/mesh-client.ts";
import type { NodeCluster } from "../node-processes.ts";
import { checkPublished, eventsOf, type PublishedEvent, PublishedHistory } from "./published-events.ts";
import { within } from "./worker.ts";

const stream = "HOLDFAST_EVENTS";
const page = { entries: 5_000, bytes: 16 * 1024 ** 2 };

export class MeshReader {
  readonly #history = new PublishedHistory();
  /** The last message that was read. */
  #sequence = 0;

  get publishedCount(): number {
    return this.#history.events.length;
  }

  /** Every event of the journal was published once and in order, or is within this time. */
  async check(cluster: NodeCluster, natsUrl: string, { withinMs, lossCount }: MeshCheck): Promise<void> {
    const events = eventsOf(await readJournal(cluster));
    await using agent = await MeshAgent.connect(natsUrl);
    await within(withinMs, this.#readUntil(agent, events.length), () => {
      // An event that is missing in the middle is the better error.
      checkPublished(this.#history.events, events);
      return new Error(`not every event was published within ${String(withinMs)} ms`);
    });
    checkPublished(this.#history.events, events);
    assert.ok(this.#history.returnCount <= lossCount, "events were taken back without a restore");
  }

  /** Reads until this many valid events, and then the rest, which may hold a repeat. */
  async #readUntil(agent: MeshAgent, count: number): Promise<void> {
    const from = { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: this.#sequence + 1 };
    const consumer = await agent.js.consumers.get(stream, { ...from, headers_only: true });
    if (this.#history.events.length >= count && (await consumer.info()).num_pending === 0) return;
    const messages = await consumer.consume({ max_messages: 1_000 });
    for await (const message of messages) {
      this.#take(message);
      if (message.info.pending === 0 && this.#history.events.length >= count) break;
    }
  }

  #take(message: JsMsg): void {
    assert.equal(message.seq, this.#sequence + 1, "a message is missing in the stream");
    this.#sequence = message.seq;
    if (message.headers?.get("Holdfast-Replayed") === "true") return;
    this.#history.add(publishedBy(message));
  }
}

export interface MeshCheck {
  readonly withinMs: number;
  /** Number of restores. */
  readonly lossCount: number;
}

function publishedBy({ subject, headers }: JsMsg): PublishedEvent {
  const number = (name: string): number => Number(headers?.get(name));
  const place = {
    epoch: number("Holdfast-Epoch"),
    position: number("Holdfast-Position"),
    index: number("Holdfast-Index"),
  };
  return { ...place, name: subject };
}

async function readJournal({ postgres }: NodeCluster): Promise<readonly Entry[]> {
  const journal = await openPostgresJournal({ url: postgres.url, clock: systemClock });
  try {
    const { position } = await journal.head();
    const entries: Entry[] = [];
    while (entries.length < position) entries.push(...(await journal.read(entries.length, page)));
    return entries;
  } finally {
    await journal.close();
  }
}
