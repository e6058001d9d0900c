/** An agent on the mesh. It uses only a NATS client and no code of Holdfast, like a program in any other language. */
import { type JetStreamClient, jetstream, jetstreamManager } from "@nats-io/jetstream";
import {
  connect,
  createInbox,
  headers,
  type Msg,
  type NatsConnection,
  type NodeConnectionOptions,
} from "@nats-io/transport-node";

export interface MeshMessage {
  readonly subject: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

type ReceivedMessage = Pick<Msg, "subject" | "data"> & { readonly headers?: Msg["headers"] | undefined };
type HeaderTexts = Readonly<Record<string, string>>;

export class MeshAgent implements AsyncDisposable {
  readonly nc: NatsConnection;
  readonly js: JetStreamClient;

  private constructor(nc: NatsConnection) {
    this.nc = nc;
    this.js = jetstream(nc);
  }

  static async connect(url: string, more: NodeConnectionOptions = {}): Promise<MeshAgent> {
    return new MeshAgent(await connect({ servers: url, maxReconnectAttempts: -1, reconnectTimeWait: 20, ...more }));
  }

  /** Sends a durable command and waits for its answer at a unique address. */
  async command(subject: string, payload: unknown, more: HeaderTexts = {}): Promise<MeshMessage> {
    const address = createInbox();
    const answers = this.nc.subscribe(address, { max: 1 });
    await this.send(subject, payload, { "Holdfast-Reply-To": address, ...more });
    for await (const answer of answers) return read(answer);
    throw new Error(`no answer to ${subject}`);
  }

  /** Sends a durable command without an answer. Resolves when the stream has stored it. */
  async send(subject: string, payload: unknown, more: HeaderTexts = {}): Promise<number> {
    const { seq } = await this.js.publish(subject, textOf(payload), { headers: listOf(more) });
    return seq;
  }

  async request(subject: string, payload: unknown, more: HeaderTexts = {}, timeout = 10_000): Promise<MeshMessage> {
    return read(await this.nc.request(subject, textOf(payload), { timeout, headers: listOf(more) }));
  }

  /** Resolves when the connection is up. */
  async connected(): Promise<void> {
    for (;;) {
      try {
        await this.nc.flush();
        return;
      } catch {
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }

  /** All messages of the event stream, from the first one, until `isEnough` returns true. */
  async events(isEnough: (events: readonly MeshMessage[]) => boolean): Promise<readonly MeshMessage[]> {
    // The subscription comes before the read, so that no message is missed in between.
    const arrivals = this.nc.subscribe("evt.>");
    await this.nc.flush();
    const jsm = await jetstreamManager(this.nc, { checkAPI: false });
    const stream = await jsm.streams.find("evt.>");
    const found: MeshMessage[] = [];
    const readNew = async (): Promise<boolean> => {
      const { last_seq: last } = (await jsm.streams.info(stream)).state;
      for (let seq = found.length + 1; seq <= last; seq += 1) {
        const message = await jsm.streams.getMessage(stream, { seq });
        if (message === null) throw new Error(`message ${String(seq)} was deleted`);
        const { subject, data, header } = message;
        found.push(read({ subject, data, headers: header }));
        if (isEnough(found)) return true;
      }
      return false;
    };
    if (!(await readNew())) {
      for await (const _ of arrivals) if (await readNew()) break;
    }
    arrivals.unsubscribe();
    return found;
  }

  /** All messages of the event stream up to an event with this name. */
  eventsUntil(name: string): Promise<readonly MeshMessage[]> {
    return this.events((events) => events.at(-1)?.subject === name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.nc.close();
  }
}

function textOf(payload: unknown): string {
  return typeof payload === "string" ? payload : JSON.stringify(payload);
}

function listOf(more: HeaderTexts) {
  const list = headers();
  for (const [name, value] of Object.entries(more)) list.set(name, value);
  return list;
}

function read({ subject, data, headers: list }: ReceivedMessage): MeshMessage {
  const named = [...(list ?? [])].map(([name, values]) => [name, values.join(", ")] as const);
  const text = new TextDecoder().decode(data);
  return { subject, data: JSON.parse(text) as MeshMessage["data"], headers: Object.fromEntries(named) };
}
