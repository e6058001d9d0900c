/** The values of a program's entities as they are stored. Graphs are packed: one string for each statement. */
export interface ProgramSettings {
  /** Number of cases for each tested function. */
  readonly cases: number;
  /** Maximum steps of one check. */
  readonly steps: number;
  readonly retries: number;
}

export const defaultSettings: ProgramSettings = { cases: 24, steps: 100_000_000, retries: 5 };

export interface ModuleValue {
  readonly kind: "module";
  readonly name: string;
  readonly parent: string | null;
}

/** A packed expression and the message that a failure shows. */
export type PackedCondition = readonly [packed: string, message?: string];

export interface TypeValue {
  readonly kind: "type";
  readonly name: string;
  readonly module: string;
  readonly public: boolean;
  readonly struct?: readonly (readonly [name: string, type: string])[];
  readonly enum?: readonly (readonly [name: string, type: string | null])[];
  readonly invariants: readonly PackedCondition[];
  /** The named types inside. */
  readonly types: readonly string[];
  /** The functions that invariants call. */
  readonly calls: readonly string[];
  readonly hash: string;
}

export interface FunctionValue {
  readonly kind: "function";
  readonly name: string;
  readonly module: string;
  readonly public: boolean;
  readonly io: boolean;
  readonly total: boolean;
  readonly doc?: string;
  readonly params: readonly (readonly [id: number, name: string, type: string])[];
  readonly result: string;
  readonly requires: readonly PackedCondition[];
  readonly ensures: readonly PackedCondition[];
  readonly body: readonly string[];
  readonly next: number;
  readonly calls: readonly string[];
  readonly types: readonly string[];
  readonly nodes: number;
  readonly hash: string;
  readonly signature_hash: string;
}

/** The module that every program has from the start. */
export const mainModule = "m0";
