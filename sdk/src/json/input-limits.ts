/**
 * Bounds of one input. The checks that walk a value recurse once per level, so `depthMax` must stay in the hundreds. The
 * other limits have no such bound.
 */
export interface InputLimits {
  /** Maximum nesting of containers: a number has depth 0, `[]` depth 1, `[[]]` depth 2. */
  readonly depthMax: number;
  /** Maximum UTF-8 bytes: of the text as sent, or of the compact JSON text of a value that a program passes. */
  readonly bytesMax: number;
  /** Maximum number of members of all objects and elements of all arrays together, on all levels. */
  readonly membersMax: number;
  /** Maximum UTF-16 units of one string. Without it, only `bytesMax` bounds a string. */
  readonly stringLengthMax?: number;
  /** Maximum UTF-16 units of the name of a member. */
  readonly nameLengthMax: number;
}

/** The limits of the input of a command. */
export const inputLimits: InputLimits = {
  depthMax: 64,
  bytesMax: 1_048_576,
  membersMax: 100_000,
  nameLengthMax: 1_024,
};
