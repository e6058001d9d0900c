import { inputLimits } from "../contract/input-limits.ts";

/** What is wrong with an input, and where (JSON Pointer): the data of `input_malformed`. */
export interface InputFault {
  readonly reason: string;
  readonly pointer: string;
}

/** An input as it is sent, or why it is not. */
export type Sendable =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly fault: InputFault };

/**
 * An input as JSON. What JSON would change or lose on its way (NaN becomes null, -0 becomes 0, a Date a text, a missing
 * element null) is refused with its place, as in process; so is everything else that the server would refuse there, since
 * each door would point at it in its own way.
 */
export function sendable(input: unknown): Sendable {
  const check = new InputCheck();
  if (!check.isFit(input, 0)) return { ok: false, fault: { reason: check.reason, pointer: check.pointer() } };
  const text = JSON.stringify(input);
  return isTooLarge(text) ? { ok: false, fault: { reason: "too_large", pointer: "" } } : { ok: true, text };
}

function isTooLarge(text: string): boolean {
  // A character has at most three bytes; only if that could be too many are they counted.
  return text.length * 3 > inputLimits.bytesMax && new TextEncoder().encode(text).length > inputLimits.bytesMax;
}

class InputCheck {
  reason = "";
  /** The way to the fault, innermost first: filled in on the way out, so that a good input pays nothing for it. */
  readonly #way: string[] = [];
  #members = 0;
  #characters = 0;

  pointer(): string {
    // No single place is to blame when the whole is too large.
    if (this.reason === "too_large") return "";
    const segments = this.#way.map((segment) => segment.replaceAll("~", "~0").replaceAll("/", "~1"));
    return segments.toReversed().reduce((pointer, segment) => `${pointer}/${segment}`, "");
  }

  isFit(input: unknown, depth: number): boolean {
    switch (typeof input) {
      case "string":
        return this.#isText(input, Infinity);
      case "number":
        return this.#isNumber(input);
      case "boolean":
        return true;
      case "object":
        return input === null || this.#isContainer(input, depth + 1);
      case "undefined":
        return this.#refuse("undefined_value");
      default:
        return this.#refuse("unsupported_type");
    }
  }

  #isContainer(input: object, depth: number): boolean {
    if (depth > inputLimits.depthMax) return this.#refuse("too_deep");
    const prototype: unknown = Object.getPrototypeOf(input);
    if (prototype === Object.prototype || prototype === null) return this.#isObject(input as Members, depth);
    if (prototype === Array.prototype && Array.isArray(input)) return this.#isArray(input, depth);
    return this.#refuse("not_plain");
  }

  #isArray(input: readonly unknown[], depth: number): boolean {
    for (let index = 0; index < input.length; index += 1) {
      if (!this.#hasRoom() || !this.isFit(input[index], depth)) return this.#leave(String(index));
    }
    return true;
  }

  #isObject(input: Members, depth: number): boolean {
    for (const name of Object.keys(input)) {
      const member = input[name];
      if (member === undefined) continue;
      if (name === "__proto__") {
        this.#refuse("forbidden_key");
        return this.#leave(name);
      }
      if (!this.#isText(name, inputLimits.nameLengthMax)) return false;
      if (!this.#hasRoom() || !this.isFit(member, depth)) return this.#leave(name);
    }
    return true;
  }

  #isNumber(input: number): boolean {
    if (!Number.isFinite(input)) return this.#refuse("not_finite");
    if (Object.is(input, -0)) return this.#refuse("negative_zero");
    return Math.abs(input) <= Number.MAX_SAFE_INTEGER || this.#refuse("unsafe_integer");
  }

  #isText(text: string, lengthMax: number): boolean {
    this.#characters += text.length;
    if (text.length > lengthMax && text.length <= inputLimits.bytesMax) return this.#refuse("name_too_long");
    if (this.#characters > inputLimits.bytesMax) return this.#refuse("too_large");
    if (!text.isWellFormed()) return this.#refuse("lone_surrogate");
    return !text.includes("\0") || this.#refuse("nul_character");
  }

  #hasRoom(): boolean {
    this.#members += 1;
    return this.#members <= inputLimits.membersMax || this.#refuse("too_many");
  }

  #refuse(reason: string): false {
    this.reason = reason;
    return false;
  }

  #leave(segment: string): false {
    this.#way.push(segment);
    return false;
  }
}

type Members = Readonly<Record<string, unknown>>;
