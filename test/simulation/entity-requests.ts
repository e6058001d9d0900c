import type { CallReply } from "@holdfast/sdk";
import type { Random } from "./random.ts";
import { poison } from "./faulty-journal.ts";

/** A request of a caller: an operation with its input. */
export interface SimulatedRequest {
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly isRead: boolean;
  /** The acting agent, if the operation depends on it: an agent, or the principal alone. */
  readonly speaker?: { readonly agent: string | undefined };
  /** The principal that calls; mostly that of the owners by default. */
  readonly principal?: string;
  /** Doors send it without a key. */
  readonly isKeyless?: true;
  /** Called when the caller knows the outcome. */
  readonly answered?: (reply: CallReply) => void;
}

/** The knowledge of a caller about an entity or a lease. It may be outdated, on purpose. */
export interface EntityMemory {
  version: number;
  revision: string | undefined;
  fence: number;
}

export type Recall = (subject: string) => EntityMemory | undefined;

const documents = ["a", "b", "c"];
const tickets = ["1", "2"];
const leases = ["x", "y"];

/** Weights of the kinds of requests. */
const usualKinds = { document: 50, ticket: 15, lease: 20, read: 25, rules: 5, nonsense: 3 } as const;
const usualChanges = { create: 25, replace: 20, merge: 25, patch: 20, delete: 10 } as const;

/** Generates the next request. There are few subjects and many callers, so that requests conflict. */
export class EntityRequests {
  readonly #random: Random;
  readonly #recall: Recall;
  readonly #kinds: Record<keyof typeof usualKinds, number>;
  readonly #changes: Record<keyof typeof usualChanges, number>;

  /** Each seed prefers some kinds of requests and omits others, because an even mix hides defects. */
  constructor(random: Random, recall: Recall) {
    this.#random = random;
    this.#recall = recall;
    this.#kinds = random.unevenly(usualKinds);
    this.#changes = random.unevenly(usualChanges);
    // Some caller always creates entities. Otherwise there would be nothing that could fail.
    this.#kinds.document += 1;
    this.#changes.create += 1;
  }

  make(): SimulatedRequest {
    const random = this.#random;
    const recall = this.#recall;
    const kind = random.weighed(this.#kinds);
    if (kind === "lease") return leaseRequest(random, recall);
    if (kind === "read") return readRequest(random, recall);
    // Each seed starts with rules 1 and raises them at some point, or never. Rules 3 are refused.
    if (kind === "rules") return write("raise-rules", { to: random.pick([2, 3]) });
    if (kind === "nonsense") return random.pick(nonsense);
    if (kind === "ticket") return ticketRequest(random, recall);
    return documentRequest(random, recall, random.weighed(this.#changes));
  }
}

/** A request whose entry no journal can store. */
export function poisonousRequest(random: Random): SimulatedRequest {
  return write("create-entity", { type: "document", id: poison, value: random.below(9) });
}

const write = (operation: string, input: SimulatedRequest["input"]): SimulatedRequest => ({
  operation,
  input,
  isRead: false,
});

const nonsense: readonly SimulatedRequest[] = [
  write("create-entity", { type: "Not A Type", id: "a", value: 1 }),
  write("patch-entity", { type: "document", id: "a" }),
  write("replace-entity", { type: "document", id: "a", value: -0 }),
  write("replace-entity", { type: "document", id: "a", value: 1, expected_version: -1 }),
  write("replace-entity", { type: "document", id: "a", value: 1, expected_version: 2, expected_revision: "1.3" }),
  write("patch-entity", { type: "document", id: "a", merge: { n: 1 }, if_unchanged: ["/n"] }),
  write("raise-epoch", { above: 1, reason: "not for callers" }),
  write("no-such-operation", {}),
];

function documentRequest(random: Random, recall: Recall, change: keyof typeof usualChanges): SimulatedRequest {
  const target = { type: "document", id: random.pick(documents) };
  const conditions = conditionsFor(random, recall(`document/${target.id}`));
  const number = random.below(4);
  switch (change) {
    case "create": {
      const first = random.chance(0.3) ? { expected_version: 0 } : {};
      return write("create-entity", { ...target, value: { n: number, list: [number], deep: { at: 0 } }, ...first });
    }
    case "replace":
      return write("replace-entity", {
        ...target,
        value: { n: number, list: [], deep: { at: number } },
        ...conditions,
      });
    case "merge":
      return write("patch-entity", { ...target, merge: mergeOf(random, number), ...conditions });
    case "patch":
      return write("patch-entity", { ...target, patch: stepsOf(random, number), ...conditions });
    case "delete":
      return write("delete-entity", { ...target, ...conditions });
  }
}

function mergeOf(random: Random, number: number): object {
  return random.pick([{ n: number }, { deep: { at: number } }, { deep: { more: number } }, { n: null, m: number }]);
}

function stepsOf(random: Random, number: number): readonly object[] {
  const steps = [
    { op: "add", path: "/list/-", value: number },
    { op: "replace", path: "/n", value: number },
    { op: "remove", path: "/list/0" },
    { op: "test", path: "/n", value: number },
    { op: "copy", from: "/n", path: "/m" },
    { op: "move", from: "/m", path: "/deep/moved" },
  ];
  return Array.from({ length: random.between(1, 3) }, () => random.pick(steps));
}

function ticketRequest(random: Random, recall: Recall): SimulatedRequest {
  const id = random.pick(tickets);
  const conditions = conditionsFor(random, recall(`ticket/${id}`));
  const count = random.below(3);
  return random.pick([
    write("create-entity", { type: "ticket", id, value: { title: "t", state: "open", count } }),
    write("close-ticket", { id, ...conditions }),
    write("close-ticket", { id, note: "again", ...conditions }),
    write("patch-entity", { type: "ticket", id, merge: { state: "open", count }, ...conditions }),
    write("patch-entity", { type: "ticket", id, merge: { state: "lost" }, ...conditions }),
    write("delete-entity", { type: "ticket", id, ...conditions }),
  ]);
}

function leaseRequest(random: Random, recall: Recall): SimulatedRequest {
  const name = random.pick(leases);
  const fence = recall(`lease/${name}`)?.fence ?? 0;
  const ttl_ms = random.between(200, 8_000);
  if (fence > 0 && random.chance(0.5)) return write("renew-lease", { name, fence, ttl_ms });
  return write("acquire-lease", { name, ttl_ms });
}

function readRequest(random: Random, recall: Recall): SimulatedRequest {
  const type = random.chance(0.7) ? "document" : "ticket";
  const id = random.pick(type === "document" ? documents : tickets);
  const known = recall(`${type}/${id}`)?.version ?? 1;
  const read = (operation: string, input: SimulatedRequest["input"]): SimulatedRequest => ({
    operation,
    input,
    isRead: true,
  });
  switch (random.weighed({ get: 5, version: 2, list: 2, history: 2 })) {
    case "get":
      return read("get-entity", { type, id });
    case "version":
      return read("get-entity", { type, id, version: random.between(1, known + 1) });
    case "list":
      return read("list-entities", { type, limit: random.between(1, 3) });
    case "history":
      return read("list-history", { type, id, limit: random.between(1, 5) });
  }
}

/** The condition of a write: none, the remembered version, or an invented one. */
function conditionsFor(random: Random, memory: EntityMemory | undefined): object {
  if (memory === undefined || random.chance(0.4)) return {};
  const { version, revision } = memory;
  const expected =
    random.chance(0.3) && revision !== undefined ? { expected_revision: revision } : { expected_version: version };
  if (random.chance(0.1)) return { expected_version: version + random.between(1, 3) };
  if (random.chance(0.25)) return { ...expected, if_unchanged: ["/n"] };
  if (random.chance(0.1)) return { if_unchanged: [{ pointer: "/n", value: random.below(4) }] };
  return expected;
}
