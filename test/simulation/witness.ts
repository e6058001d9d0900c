/** Whoever is told what happens, and notes the first promise that was not kept. */
export interface Witness {
  log(sentence: () => string): void;
  demand(isKept: boolean, promise: string, detail: () => string): void;
}
