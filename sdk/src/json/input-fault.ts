import type { Canonical } from "./canonical.ts";

/** Why an input is refused. The codes are part of the contract: callers compare them. */
export type InputFaultReason =
  /** The text is not JSON. */
  | "syntax"
  /** The text starts with U+FEFF. */
  | "byte_order_mark"
  /** More text follows the value. */
  | "trailing_text"
  /** An object has two members with one name. Parsers disagree on which of them counts. */
  | "duplicate_key"
  /** A member has the name `__proto__`, which some readers treat as the prototype. */
  | "forbidden_key"
  /** NaN, Infinity or -Infinity. */
  | "not_finite"
  /** A number that exceeds a double, such as 1e400. */
  | "number_overflow"
  /** -0, also as -0.0 or -1e-400. JSON text and equality lose its sign. */
  | "negative_zero"
  /** |n| > 9007199254740991: neighbours share one double. Fractions cannot be that large, so it is an integer. */
  | "unsafe_integer"
  /** Half of a surrogate pair. It has no UTF-8 form. */
  | "lone_surrogate"
  /** U+0000, which Postgres cannot store. */
  | "nul_character"
  | "string_too_long"
  | "name_too_long"
  | "too_deep"
  | "too_large"
  | "too_many"
  /** The input or an element of an array is undefined, or an array has a hole. */
  | "undefined_value"
  /** A function, symbol or bigint. */
  | "unsupported_type"
  /** An object that is neither plain nor an array: Date, Map, an instance of a class. */
  | "not_plain";

/**
 * The first fault of an input, with its place. A fault in the name of a member points at the object, because such a name
 * must not be repeated in a pointer. A duplicate or forbidden name is safe to repeat, so the pointer names the member.
 */
export interface InputFault {
  readonly reason: InputFaultReason;
  /** JSON Pointer (RFC 6901) from the root of the input. */
  readonly pointer: string;
  /** UTF-16 units from the start of the input's text. Like line and column, present only if text was parsed. */
  readonly offset?: number;
  /** From 1. */
  readonly line?: number;
  /** From 1, in UTF-16 units. */
  readonly column?: number;
}

export type InputResult =
  | { readonly ok: true; readonly value: Canonical }
  | { readonly ok: false; readonly fault: InputFault };
