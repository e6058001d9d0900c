/**
 * How far the erasures that entries ask for are carried out. A journal can't tell by itself: an entry asks for one, and only
 * the state knows of it. The mark lies in the store beside the batches, so that it goes back with them, and so that a start
 * looks at what is unfinished, and not at every erasure there ever was.
 */
import { readJson } from "@holdfast/sdk/json/read-json";

/** An entry whose payload must be gone, and the entry that says so. */
export interface PayloadErasure {
  readonly position: number;
  readonly by: number;
}

export interface ErasureMark {
  /** What entries up to this position asked for is carried out, except for what is left. */
  readonly to: number;
  /** What was tried in vain, such as an entry in a segment that was moved away. */
  readonly left: readonly PayloadErasure[];
}

/** A journal that nobody has marked: each of its erasures has to be looked at once. */
export const noErasureMark: ErasureMark = { to: 0, left: [] };

export function erasureMarkText(mark: ErasureMark): string {
  return JSON.stringify(mark);
}

export function readErasureMark(text: string | undefined): ErasureMark {
  return text === undefined ? noErasureMark : (readJson(text) as unknown as ErasureMark);
}
