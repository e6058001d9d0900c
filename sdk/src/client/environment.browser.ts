import type { Environment, Surroundings } from "./environment.ts";

/** A page has no environment variables and no data folder. */
export function environmentOf(_surroundings?: Partial<Surroundings>): Environment {
  return { variable: () => undefined, noteIn: () => undefined, nearestNote: () => undefined };
}
