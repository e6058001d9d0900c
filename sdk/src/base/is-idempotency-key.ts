/** Maximum length of an idempotency key. */
const lengthMax = 255;

/** Whether a text can be an idempotency key: printable ASCII without quotes and backslashes. */
export function isIdempotencyKey(key: string): boolean {
  return key.length <= lengthMax && /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/u.test(key);
}
