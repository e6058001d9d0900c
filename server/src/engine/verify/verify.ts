import type { Clock } from "../../base/clock.ts";
import type { StoredBatch } from "../../journal/unseal.ts";
import { Verification } from "./verification.ts";
import type { VerificationOptions, VerificationResult } from "./verification.ts";

export interface VerifyOptions extends VerificationOptions {
  readonly clock: Clock;
  /** Told the position that is verified, every few milliseconds. */
  readonly onProgress?: (position: number) => void;
}

/** How long it works before others may. */
const sliceMs = 20;

/** Verifies a whole history, from the first batch on. It yields, so that whoever waits can show how far it is. */
export async function verify(batches: Iterable<StoredBatch>, options: VerifyOptions): Promise<VerificationResult> {
  const { clock, onProgress } = options;
  const verification = new Verification(options);
  let sliceEnd = clock.monotonicMs() + sliceMs;
  try {
    for (const batch of batches) {
      if (!verification.take(batch)) break;
      if (clock.monotonicMs() < sliceEnd) continue;
      onProgress?.(verification.position);
      await new Promise<void>((resolve) => {
        clock.soon(resolve);
      });
      sliceEnd = clock.monotonicMs() + sliceMs;
    }
  } catch (error) {
    // A store that can't read on: damage ends it like any other, the rest is not about this history.
    verification.damaged(error);
  }
  return verification.finish();
}
