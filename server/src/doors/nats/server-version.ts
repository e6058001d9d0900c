/** What a nats-server can and can not be trusted with, by its version. */

export interface ServerVersion {
  readonly text: string;
  readonly parts: readonly [major: number, minor: number, patch: number];
}

export function readVersion(text: string): ServerVersion {
  const match = /^v?([0-9]+)\.([0-9]+)\.([0-9]+)/u.exec(text);
  const [major = 0, minor = 0, patch = 0] = (match ?? []).slice(1).map(Number);
  return { text, parts: [major, minor, patch] };
}

export function isBefore({ parts }: ServerVersion, other: readonly [number, number, number]): boolean {
  const at = parts.findIndex((part, index) => part !== other[index]);
  return at >= 0 && (parts[at] ?? 0) < (other[at] ?? 0);
}

/** The first one that has pull consumers as this door uses them. */
const oldest = [2, 9, 0] as const;

export function versionError(version: ServerVersion): string | undefined {
  if (!isBefore(version, [...oldest])) return undefined;
  return `nats-server ${version.text} is too old: ${oldest.join(".")} is the first that has what Holdfast needs`;
}

/** What Holdfast does not rely on, and nobody else should, with this version. */
export function versionWarnings(version: ServerVersion): readonly string[] {
  return [
    ...(isBefore(version, [2, 9, 21])
      ? [
          "on replicated streams it lets several writers win who expect the same last sequence of a subject " +
            "(mended in 2.9.21): never guard your own data by that",
        ]
      : []),
    isBefore(version, [2, 10, 0])
      ? "what it acknowledged reaches the disk within two minutes, and that can't be changed (before 2.10): a power " +
        "failure can lose commands that were not answered yet; events are published again"
      : "what it acknowledged reaches the disk within two minutes unless `sync_interval` says otherwise: until then a " +
        "power failure can lose commands that were not answered yet; events are published again",
  ];
}
