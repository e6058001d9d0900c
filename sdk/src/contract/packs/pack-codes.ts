/** What every writer meets has the pack's name in front when a pack's operation meets it: `planning.concurrency_mismatch`. */
const prefixed: readonly string[] = [
  "concurrency_etag_required",
  "concurrency_etag_invalid",
  "concurrency_mismatch",
  "idempotency_key_invalid",
  "idempotency_replay_conflict",
  "idempotency_key_expired",
];

/** A code as the doors of a pack show it. */
export function codeOfPack(pack: string, code: string): string {
  return prefixed.includes(code) ? `${pack}.${code}` : code;
}

/** The code without the name of a pack, if it is one that packs show with theirs in front. */
export function plainCode(code: string): string {
  const plain = code.slice(code.indexOf(".") + 1);
  return prefixed.includes(plain) ? plain : code;
}
