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
    return this.#map(value, shape, "toClient", undefined);
  }

  /** Adds a fault for each duration that the wire cannot carry. */
  toWire(value: unknown, shape: number | undefined, faults: DurationFault[]): unknown {
    return this.#map(value, shape, "toWire", { pointer: "", faults });
  }

  #map(value: unknown, number: number | undefined, direction: Direction, check: DurationCheck | undefined): unknown {
    if (number === undefined || number === opaque || typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) {
      return value.map((item, index) => this.#map(item, number, direction, below(check, String(index))));
    }
    const shape = this.#shape(number);
    const entries = Object.entries(value).map(([name, item]): [string, unknown] => {
      const inside = below(check, name);
      if (shape.each !== opaque) return [name, this.#map(item, shape.each, direction, inside)];
      const member = shape[direction].get(name);
      if (member === undefined) return [name, item];
      if (member.isInSeconds) return [member.name, duration(item, direction, inside)];
      return [member.name, this.#map(item, member.shape, direction, inside)];
    });
    // Not assignments: a member may have the name `__proto__`.
    return Object.fromEntries(entries);
  }

  #shape(number: number): ParsedShape {
    return (this.#parsed[number] ??= parseShape(this.#texts[number - 1] ?? ""));
  }
}

interface DurationCheck {
  readonly pointer: string;
  readonly faults: DurationFault[];
}

function below(check: DurationCheck | undefined, name: string): DurationCheck | undefined {
  return check === undefined ? undefined : { pointer: `${check.pointer}/${name}`, faults: check.faults };
}

function duration(value: unknown, direction: Direction, check: DurationCheck | undefined): unknown {
  if (typeof value !== "number") return value;
  if (direction === "toClient") return value * 1000;
  if (value % 1000 !== 0) {
    check?.faults.push({
      pointer: check.pointer,
      message: "must be a multiple of 1,000: the server counts in seconds",
    });
  }
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
