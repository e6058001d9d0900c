/** Credentials as they occur in texts: after their header or name, or by their own shape. */
const shapes: readonly [RegExp, string][] = [
  [/\b(bearer|basic)\s+[^\s"',;]+/giu, "$1 [removed]"],
  [
    /\b((?:x-)?agent[-_]?secret|token|secret|password|authorization)(["']?\s*[:=]\s*["']?)[^\s"',;]+/giu,
    "$1$2[removed]",
  ],
  [/\bhf[a-z]?_[A-Za-z0-9_-]{8,}/gu, "[removed]"],
  // An agent's secret, or half of a key: nothing else of ours is as long without a break, but hashes, which nobody misses.
  [/\b[0-9a-f]{64}\b/giu, "[removed]"],
];

/** A text without what looks like a credential. Messages of other libraries may quote what they were given. */
export function withoutSecrets(text: string): string {
  return shapes.reduce((clean, [shape, instead]) => clean.replace(shape, instead), text);
}
