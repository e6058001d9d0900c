import { Random } from "../simulation/random.ts";
import type { OpenTarget } from "./fuzz-target.ts";

/** A round that failed, with the command that runs it again. */
export class FuzzFailure extends Error {
  override readonly name = "FuzzFailure";
}

/** Each round has its own seed, so that a failed one can run alone. */
export async function runRound(
  target: { readonly name: string; readonly opened: OpenTarget },
  seed: number,
): Promise<void> {
  try {
    await target.opened.round(new Random(seed));
  } catch (error) {
    const again = `npm run fuzz -- --only ${JSON.stringify(target.name)} --round ${seed}`;
    throw new FuzzFailure(`${target.name}, round ${seed}: ${String((error as Error).stack)}\n  ${again}`, {
      cause: error,
    });
  }
}
