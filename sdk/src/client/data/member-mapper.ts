/**
 * Maps members between the wire and the client, by the shapes that the schemas declare. Values that no schema
 * describes pass as they are: entity values, patches, metadata and the data of events.
 */
import { clientName, isInSeconds } from "./client-form.ts";

/** A value of a `_seconds` member that is not a whole number of seconds. */
export interface DurationFault {
  readonly pointer: string;
  readonly message: string;
}

interface MappedMember {
  readonly name: string;
  readonly shape: number;
  readonly isInSeconds: boolean;
}

interface ParsedShape {
  /** By the name on the wire. */
  readonly toClient: ReadonlyMap<string, MappedMember>;
  /** By the name in the client. */
  readonly toWire: ReadonlyMap<string, MappedMember>;
  /** The shape of each value of a record with free names. */
  readonly each: number;
}

type Direction = "toClient" | "toWire";

/** The number of the shape of a value that passes as it is. */
const opaque = 0;
const eachMember = "*";

export class MemberMapper {
  readonly #texts: readonly string[];
  readonly #parsed: (ParsedShape | undefined)[] = [];

  /** Each text lists the members of a shape: `owner_id waits_for:3`. The number is the shape of the member's value. */
  constructor(texts: readonly string[]) {
    this.#texts = texts;
  }

  toClient(value: unknown, shape: number | undefined): unknown {
    return this.#map(value, shape, "toClient", []);
  }

  /** Adds a fault for each duration that the wire cannot carry. */
  toWire(value: unknown, shape: number | undefined, faults: DurationFault[]): unknown {
    return this.#map(value, shape, "toWire", faults);
  }

  /** On the path of every call. So it makes only the mapped value. */
  #map(value: unknown, number: number | undefined, direction: Direction, faults: DurationFault[]): unknown {
    if (number === undefined || number === opaque || typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((item, index) => this.#within(index, item, number, direction, faults));
    const { each, [direction]: members } = this.#shape(number);
    const mapped: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      const item = (value as Record<string, unknown>)[name];
      const member = each === opaque ? members.get(name) : undefined;
      if (member?.isInSeconds === true) put(mapped, member.name, duration(name, item, direction, faults));
      else put(mapped, member?.name ?? name, this.#within(name, item, member?.shape ?? each, direction, faults));
    }
    return mapped;
  }

  /** Maps the value of a member. The pointers of its faults begin with the member. */
  #within(
    name: string | number,
    value: unknown,
    shape: number,
    direction: Direction,
    faults: DurationFault[],
  ): unknown {
    if (shape === opaque) return value;
    const before = faults.length;
    const mapped = this.#map(value, shape, direction, faults);
    for (let index = before; index < faults.length; index += 1) {
      const fault = faults[index] as DurationFault;
      faults[index] = { ...fault, pointer: `/${name}${fault.pointer}` };
    }
    return mapped;
  }

  #shape(number: number): ParsedShape {
    return (this.#parsed[number] ??= parseShape(this.#texts[number - 1] ?? ""));
  }
}

/** Not always an assignment: a member may have the name `__proto__`. */
function put(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== "__proto__") target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
}

function duration(name: string, value: unknown, direction: Direction, faults: DurationFault[]): unknown {
  if (typeof value !== "number") return value;
  if (direction === "toClient") return value * 1000;
  if (value % 1000 !== 0)
    faults.push({ pointer: `/${name}`, message: "must be a multiple of 1,000: the server counts in seconds" });
  return value / 1000;
}

function parseShape(text: string): ParsedShape {
  const members = text.split(" ").map((part) => {
    const [wireName = "", shape = "0"] = part.split(":");
    return { wireName, shape: Number(shape) };
  });
  const mapped = members.filter(({ wireName }) => wireName !== eachMember);
  return {
    each: members.find(({ wireName }) => wireName === eachMember)?.shape ?? opaque,
    toClient: new Map(
      mapped.map(({ wireName, shape }) => [
        wireName,
        { name: clientName(wireName), shape, isInSeconds: isInSeconds(wireName) },
      ]),
    ),
    toWire: new Map(
      mapped.map(({ wireName, shape }) => [
        clientName(wireName),
        { name: wireName, shape, isInSeconds: isInSeconds(wireName) },
      ]),
    ),
  };
}
