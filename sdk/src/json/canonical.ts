import type { Json, JsonObject } from "./json.ts";

declare const canonical: unique symbol;

interface CanonicalMark {
  readonly [canonical]: true;
}

/**
 * A JSON value that passed the checks of inputs (see input-fault.ts). It equals any other reading of its text, on every
 * host and in every store. Only `parseJson`, `parseEnvelopes` and `canonicalValue` make one, and no caller has a
 * reference into it. So the code behind a door neither checks nor copies it again.
 *
 * Parts of a canonical value are canonical. An object that is spread from one keeps the mark: its new members must be
 * constants or canonical as well.
 */
export type Canonical = null | (Json & CanonicalMark);

export type CanonicalObject = JsonObject & CanonicalMark;

/** The input of a call that has no input of its own. */
export const emptyInput = Object.freeze({}) as CanonicalObject;
