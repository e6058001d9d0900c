/** The guarantees and the known limits of a nats-server, by version. */

interface ServerVersion {
  readonly text: string;
  readonly parts: readonly [major: number, minor: number, patch: number];
}

export function readServerVersion(text: string): ServerVersion {
  const match = /^v?([0-9]+)\.([0-9]+)\.([0-9]+)/u.exec(text);
  const [major = 0, minor = 0, patch = 0] = (match ?? []).slice(1).map(Number);
  return { text, parts: [major, minor, patch] };
}

function isBefore({ parts }: ServerVersion, other: readonly [number, number, number]): boolean {
  const at = parts.findIndex((part, index) => part !== other[index]);
  return at >= 0 && (parts[at] ?? 0) < (other[at] ?? 0);
}

/** The oldest version with the pull consumers that this door uses. */
const oldest = [2, 9, 0] as const;

export function versionError(version: ServerVersion): string | undefined {
  if (!isBefore(version, [...oldest])) return undefined;
  return `nats-server ${version.text} is too old: Holdfast needs ${oldest.join(".")} or newer`;
}

/** The features of this version that are not reliable. Holdfast does not use them. */
export function versionWarnings(version: ServerVersion): readonly string[] {
  return [
    ...(isBefore(version, [2, 9, 21])
      ? [
          "on replicated streams several writers can succeed with the same expected last sequence of a subject " +
            "(fixed in 2.9.21): do not protect your own data by it",
        ]
      : []),
    isBefore(version, [2, 10, 0])
      ? "acknowledged messages reach the disk within two minutes, and versions before 2.10 cannot change that: a power " +
        "failure can lose commands without an answer; events are published again"
      : "acknowledged messages reach the disk within two minutes unless `sync_interval` is shorter: a power failure can " +
        "lose commands without an answer; events are published again",
  ];
}
