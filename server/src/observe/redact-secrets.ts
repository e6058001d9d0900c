/** Patterns of credentials in text: after a header or a field name, or by their format. */
const secretPatterns: readonly [RegExp, string][] = [
  [/\b(bearer|basic)\s+[^\s"',;]+/giu, "$1 [removed]"],
  [
    /\b((?:x-)?agent[-_]?secret|token|secret|password|authorization)(["']?\s*[:=]\s*["']?)[^\s"',;]+/giu,
    "$1$2[removed]",
  ],
  [/\bhf[a-z]?_[A-Za-z0-9_-]{8,}/gu, "[removed]"],
  // An agent's secret, or half of a key. Of all Holdfast texts only hashes have the same format, and a log needs no hashes.
  [/\b[0-9a-f]{64}\b/giu, "[removed]"],
];

/** Removes text that looks like a credential. Error messages of libraries may quote their input. */
export function redactSecrets(text: string): string {
  return secretPatterns.reduce((redacted, [pattern, replacement]) => redacted.replace(pattern, replacement), text);
}
