/**
 * Codes that every writer meets. A pack's operation shows them with the pack's name in front:
 * `planning.concurrency_mismatch`.
 */
const prefixed: readonly string[] = [
  "concurrency_etag_required",
  "concurrency_etag_invalid",
  "concurrency_mismatch",
  "idempotency_key_invalid",
  "idempotency_replay_conflict",
  "idempotency_key_expired",
];

/** The code as the operations of a pack show it. */
export function codeOfPack(pack: string, code: string): string {
  return prefixed.includes(code) ? `${pack}.${code}` : code;
}

/** The code without the prefix of a pack, if it is one of the shared codes. */
export function plainCode(code: string): string {
  const plain = code.slice(code.indexOf(".") + 1);
  return prefixed.includes(plain) ? plain : code;
}
