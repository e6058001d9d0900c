/** Maximum time between two attempts. */
const backoffMaxMs = 3_600_000;

/**
 * The time until the next attempt: doubled with each one. The upper half comes from a hash of job and attempt, so that
 * jobs that failed together are not retried together. Random numbers would make replays differ.
 */
export function backoffOf(id: string, attempt: number, baseMs: number): number {
  const ms = Math.min(baseMs * 2 ** Math.min(attempt - 1, 30), backoffMaxMs);
  const half = Math.floor(ms / 2);
  return ms - half + (hashOf(`${id} ${attempt}`) % (half + 1));
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}
