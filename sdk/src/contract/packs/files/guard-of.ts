const guarded = /^project\/[^/]+(?:\/map\/[^/]+(?:\/sketch\/[^/]+)?)?/u;

/** The path whose lock protects a target: the sketch, map or project that it is in, or else the target itself. */
export function guardOf(target: string): string {
  return guarded.exec(target)?.[0] ?? target;
}
