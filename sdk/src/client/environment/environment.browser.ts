import type { Environment, Surroundings } from "./environment.ts";

/** A page has no environment variables and no data folder. */
export function environmentOf(_surroundings?: Partial<Surroundings>): Environment {
  const none = (): undefined => undefined;
  return { variable: none, noteIn: none, nearestFolder: none, warn: none };
}
