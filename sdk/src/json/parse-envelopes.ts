import type { InputFault } from "./input-fault.ts";
import type { InputLimits } from "./input-limits.ts";
import { JsonReader } from "./json-reader.ts";
import type { Json } from "./json.ts";
import { parseJson } from "./parse-json.ts";
import { parseNatively } from "./parse-natively.ts";
import { scanJson } from "./scan-json.ts";

type EnvelopesResult =
  | {
      readonly ok: true;
      /** One envelope, or an array of them. Envelopes may have any shape. */
      readonly value: Json;
      /** The faults of inputs, by the index of the envelope. Such an envelope has no member `input`. */
      readonly faults: ReadonlyMap<number, InputFault>;
    }
  | { readonly ok: false; readonly fault: InputFault };

const noFaults: ReadonlyMap<number, InputFault> = new Map();

/**
 * Parses the text of one envelope or of an array of envelopes, in one pass. An envelope is an object that carries an
 * input in its member `input`, as the messages of a socket do. Each input is canonical and has the limits of an input
 * for itself. A fault in an input is a fault of its envelope alone, with a pointer from the root of the input. A fault
 * elsewhere is a fault of the whole text.
 *
 * Scalars of an envelope are not checked like those of an input. Their reader refuses a bad key or name by its own rule,
 * and refuses that call only.
 */
export function parseEnvelopes(text: string, limits: InputLimits): EnvelopesResult {
  // Nearly every text is canonical as a whole and within the limits of one input.
  const value = parseNatively(text, limits);
  if (value !== undefined) return { ok: true, value, faults: noFaults };
  const split = new EnvelopeSplit(text, limits);
  try {
    return { ok: true, value: split.read(), faults: split.faults };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const scanned = scanJson(text, { ...limits, bytesMax: Infinity });
    return scanned.ok ? { ok: false, fault: { reason: "syntax", pointer: "" } } : scanned;
  }
}

/** Cuts a text into envelopes and their members, without judging the inputs before they are cut out. */
class EnvelopeSplit {
  readonly faults = new Map<number, InputFault>();
  readonly #reader: JsonReader;
  readonly #limits: InputLimits;

  constructor(text: string, limits: InputLimits) {
    this.#reader = new JsonReader(text);
    this.#limits = limits;
  }

  read(): Json {
    const value = this.#reader.accept("[") ? this.#readEnvelopes() : this.#readEnvelope(0);
    this.#reader.expectEnd();
    return value;
  }

  #readEnvelopes(): Json {
    const envelopes: Json[] = [];
    while (!this.#reader.accept("]")) {
      if (envelopes.length > 0) this.#reader.expect(",");
      envelopes.push(this.#readEnvelope(envelopes.length));
    }
    return envelopes;
  }

  #readEnvelope(index: number): Json {
    const reader = this.#reader;
    if (!reader.accept("{")) return this.#plainValue(reader.readText());
    const members = new Map<string, Json>();
    let hasInput = false;
    for (let isFirst = true; !reader.accept("}"); isFirst = false) {
      if (!isFirst) reader.expect(",");
      const name = reader.readString();
      if (members.has(name) || (hasInput && name === "input")) throw new SyntaxError(`Duplicate name ${name}`);
      reader.expect(":");
      if (name !== "input") {
        members.set(name, this.#plainValue(reader.readText()));
        continue;
      }
      hasInput = true;
      const input = parseJson(reader.readText(), this.#limits);
      if (input.ok) members.set(name, input.value);
      else this.faults.set(index, input.fault);
    }
    return Object.fromEntries(members);
  }

  #plainValue(text: string): Json {
    if (!/^[[{]/u.test(text)) return JSON.parse(text) as Json;
    const parsed = parseJson(text, { ...this.#limits, bytesMax: Infinity });
    if (!parsed.ok) throw new SyntaxError(parsed.fault.reason);
    return parsed.value;
  }
}
