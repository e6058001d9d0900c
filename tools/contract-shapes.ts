/** The declared members of schemas, as the client maps them. */
import { clientName } from "../sdk/src/client/data/client-form.ts";

interface SchemaNode {
  readonly properties?: Readonly<Record<string, object>>;
  readonly patternProperties?: Readonly<Record<string, object>>;
  readonly items?: object;
  readonly anyOf?: readonly object[];
}

/** The members of a value, by name. `*` means every name. */
type Members = ReadonlyMap<string, Members>;

const none: Members = new Map();

/** Collects shapes and gives each a number, from 1. 0 is the shape of values that pass as they are. */
export class ContractShapes {
  readonly #numbers = new Map<string, number>();

  get texts(): readonly string[] {
    return [...this.#numbers.keys()];
  }

  /** The number of the shape of a schema; undefined for values that pass as they are. */
  numberOf(schema: object): number | undefined {
    return this.#number(membersOf(schema)) || undefined;
  }

  #number(members: Members): number {
    const parts = [...members].map(([name, inner]) => ({ name, shape: this.#number(inner) }));
    const mapped = parts.filter(({ name, shape }) => shape > 0 || clientName(name) !== name);
    if (mapped.length === 0) return 0;
    const text = mapped.map(({ name, shape }) => (shape > 0 ? `${name}:${shape}` : name)).join(" ");
    const number = this.#numbers.get(text) ?? this.#numbers.size + 1;
    this.#numbers.set(text, number);
    return number;
  }
}

function membersOf(schema: object): Members {
  const { properties, patternProperties, items, anyOf } = schema as SchemaNode;
  if (anyOf !== undefined) return anyOf.map(membersOf).reduce(merged, none);
  if (items !== undefined) return membersOf(items);
  if (properties !== undefined) {
    return new Map(Object.entries(properties).map(([name, member]) => [name, membersOf(member)]));
  }
  const [record] = Object.values(patternProperties ?? {});
  const each = record === undefined ? none : membersOf(record);
  return each.size === 0 ? none : new Map([["*", each]]);
}

function merged(a: Members, b: Members): Members {
  const names = new Set([...a.keys(), ...b.keys()]);
  return new Map([...names].map((name) => [name, merged(a.get(name) ?? none, b.get(name) ?? none)]));
}
