import { plainCode } from "../contract/packs/code-of-pack.ts";
import { HoldfastError } from "./holdfast-error.ts";

/** A refusal with a known code, and its data. */
export interface TypedRefusal<Code extends string, Data> extends HoldfastError {
  readonly code: Code;
  readonly data: Readonly<Record<string, unknown>> & Data;
}

/** Whether an error is the refusal with this code. A pack may show the code behind its own name. */
export type ProblemGuard<Code extends string, Data> = (error: unknown) => error is TypedRefusal<Code, Data>;

/** Errors of `client.run` have the members of the wire, so their data has another form. */
export const problemGuard =
  <Code extends string, Data>(code: Code): ProblemGuard<Code, Data> =>
  (error): error is TypedRefusal<Code, Data> =>
    error instanceof HoldfastError && !error.isWire && (error.code === code || plainCode(error.code) === code);
