/** Receives the events of a simulation, and records the first broken promise. */
export interface Witness {
  log(sentence: () => string): void;
  demand(isKept: boolean, promise: string, detail: () => string): void;
}
