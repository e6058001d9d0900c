import type { Json } from "./json.ts";

/** Why an input is refused. The codes are stable: callers and the contract depend on them. */
export type InputFaultReason =
  /** The text is not JSON. */
  | "syntax"
  /** The text starts with U+FEFF. */
  | "byte_order_mark"
  /** Something follows the value. */
  | "trailing_text"
  /** An object names a member twice; parsers disagree on which one counts. */
  | "duplicate_key"
  /** A member is called `__proto__`, which some readers take for the prototype. */
  | "forbidden_key"
  /** NaN, Infinity or -Infinity. */
  | "not_finite"
  /** A number too large for a double, such as 1e400. */
  | "number_overflow"
  /** -0, also as -0.0 or -1e-400: JSON text and equality lose its sign. */
  | "negative_zero"
  /** |n| > 9007199254740991: neighbours share one double. Fractions cannot be that large, so it is an integer. */
  | "unsafe_integer"
  /** Half of a surrogate pair: it has no UTF-8 form. */
  | "lone_surrogate"
  /** U+0000, which Postgres cannot store. */
  | "nul_character"
  | "string_too_long"
  | "name_too_long"
  | "too_deep"
  | "too_large"
  | "too_many"
  /** undefined as the input itself or as an array's element, also a hole. */
  | "undefined_value"
  /** A function, symbol or bigint. */
  | "unsupported_type"
  /** An object that is neither plain nor an array: Date, Map, an instance of a class. */
  | "not_plain";

/**
 * What is wrong, and where. A fault in a member's name points at the object, since such a name may not be repeated in
 * a pointer; a duplicate or forbidden key, which is harmless as text, points at the member.
 */
export interface InputFault {
  readonly reason: InputFaultReason;
  /** JSON Pointer (RFC 6901) of the place. */
  readonly pointer: string;
  /** UTF-16 units from the start of the text. Present, like line and column, only when text was parsed. */
  readonly offset?: number;
  /** From 1. */
  readonly line?: number;
  /** From 1, in UTF-16 units. */
  readonly column?: number;
}

export type InputResult =
  { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly fault: InputFault };
