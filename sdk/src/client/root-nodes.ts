/**
 * The nodes of storage roots. A node without the root answers with the address of the one that has it. The client follows
 * only to an address that it was given itself: an answer must not choose who gets the token.
 */
import type { Address } from "./transport/address.ts";
import { AddressRing } from "./transport/address-ring.ts";
import type { HttpOptions } from "./transport/http-options.ts";
import { httpTransport } from "./transport/http-transport.ts";
import type { CallOptions, CallReply, Transport } from "./transport/transport.ts";

export interface RootNodesOptions extends Omit<HttpOptions, "nodes"> {
  /** The addresses that the client was given. */
  readonly addresses: readonly Address[];
}

/** Maximum publishes and targets whose node is remembered. */
const knownMax = 1_000;

export class RootNodes {
  readonly #first: Transport;
  readonly #options: RootNodesOptions;
  readonly #transports = new Map<string, Transport>();
  /** By the id of a publish, or by target. */
  readonly #known = new Map<string, Transport>();

  constructor(first: Transport, options: RootNodesOptions) {
    this.#first = first;
    this.#options = options;
  }

  async call(operation: string, input: unknown, call: CallOptions): Promise<CallReply> {
    const subject = subjectOf(input);
    const known = this.#known.get(subject);
    const reply = await (known ?? this.#first).call(operation, input, call);
    const node = this.#nodeNamedBy(reply);
    // A node that is gone, or that lost the root, is forgotten.
    if (known !== undefined && reply.outcome.kind === "refusal") this.#known.delete(subject);
    if (node === undefined || !isRepeatable(call.body)) return reply;
    const followed = await node.call(operation, input, call);
    for (const name of [subject, subjectOf(followed.outcome.data)]) this.#remember(name, node);
    return followed;
  }

  async close(): Promise<void> {
    for (const transport of this.#transports.values()) await transport.close();
  }

  #remember(subject: string, node: Transport): void {
    if (subject === "") return;
    if (this.#known.size >= knownMax) this.#known.clear();
    this.#known.set(subject, node);
  }

  /** The node that has the root, if its address is one of the client's own. */
  #nodeNamedBy({ outcome }: CallReply): Transport | undefined {
    if (outcome.kind === "done" || outcome.code !== "files.root_elsewhere") return undefined;
    const { url } = outcome.data;
    const { addresses, ...options } = this.#options;
    const address = addresses.find((each) => typeof url === "string" && isSame(each.url, url));
    if (address === undefined) return undefined;
    const { href } = address.url;
    const nodes = new AddressRing([address], () => 0);
    const transport = this.#transports.get(href) ?? httpTransport({ ...options, nodes });
    this.#transports.set(href, transport);
    return transport;
  }
}

const isSame = (own: URL, named: string): boolean => URL.canParse(named) && new URL(named).href === own.href;

/** The publish or the target that a call is about; empty if it is about neither. */
function subjectOf(data: unknown): string {
  const { id, target } = (data ?? {}) as { readonly id?: unknown; readonly target?: unknown };
  const name = id ?? target;
  return typeof name === "string" ? name : "";
}

/** A generator is its own iterator and is used up by the first attempt. */
function isRepeatable(body: CallOptions["body"]): boolean {
  return body === undefined || (body as unknown) !== body[Symbol.asyncIterator]();
}
