import type { Clock } from "../../../base/clock.ts";
import { partLimits } from "./part-limits.ts";

/**
 * Reads a part into memory; undefined if it does not arrive in time. A sender that always sends a little would keep its
 * place in memory forever. The rest of a late part is not kept.
 */
export function collectPart(
  body: AsyncIterable<Uint8Array> | undefined,
  clock: Clock,
): Promise<Uint8Array | undefined> {
  let isLate = false;
  const collect = async (): Promise<Uint8Array> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body ?? []) {
      if (isLate) break;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  };
  return new Promise((resolve, reject) => {
    const late = (): void => {
      isLate = true;
      resolve(undefined);
    };
    const cancel = clock.after(partLimits.partMs, late, { keepAlive: false });
    collect().finally(cancel).then(resolve, reject);
  });
}
