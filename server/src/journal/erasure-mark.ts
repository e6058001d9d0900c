/**
 * The watermark of completed erasures. An entry requests an erasure, and only the state knows of the request, so a
 * journal cannot compute the mark itself. The store keeps the mark together with the batches, and a restore restores
 * both. A start reads the mark and checks the unfinished erasures only.
 */
import { readJson } from "@holdfast/sdk/json/read-json";

/** An entry whose payload must be removed, and the entry that requests the removal. */
export interface PayloadErasure {
  readonly position: number;
  readonly by: number;
}

export interface ErasureMark {
  /** Erasures requested by entries up to this position are complete, except for those in `left`. */
  readonly to: number;
  /** Erasures that failed, for example because the segment of the entry was moved elsewhere. */
  readonly left: readonly PayloadErasure[];
  /**
   * True once the events of the journal were published to a stream outside of it. An erasure is then complete only if the
   * payload is removed there too. Processes without a connection to the stream know it from here.
   */
  readonly has_event_stream?: true;
}

/** The mark of a journal that has none yet. A start checks each of its erasures once. */
export const noErasureMark: ErasureMark = { to: 0, left: [] };

export function erasureMarkText(mark: ErasureMark): string {
  return JSON.stringify(mark);
}

export function readErasureMark(text: string | undefined): ErasureMark {
  return text === undefined ? noErasureMark : (readJson(text) as unknown as ErasureMark);
}
