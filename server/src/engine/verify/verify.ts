import type { Clock } from "../../base/clock.ts";
import type { StoredBatch } from "../../journal/unseal.ts";
import { Verification } from "./verification.ts";
import type { VerificationOptions, VerificationResult } from "./verification.ts";

interface VerifyOptions extends VerificationOptions {
  readonly clock: Clock;
  /** Called with the verified position, every few milliseconds. */
  readonly onProgress?: (position: number) => void;
}

/** Maximum time between two yields to the event loop. */
const sliceMs = 20;

/** Verifies a whole history from the first batch. It yields to the event loop, so that the caller can show the progress. */
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
    // The store cannot read the next batch. Damage is part of the result. Any other error is thrown.
    verification.damaged(error);
  }
  return verification.finish();
}
