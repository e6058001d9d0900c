import type { CallReply } from "holdfast";

export type OperationInput = Readonly<Record<string, unknown>>;

/** An operation and its input, which may depend on earlier answers. */
export interface ScriptStep {
  readonly operation: string;
  readonly input: (before: readonly CallReply[]) => OperationInput;
  readonly key?: string;
  /** The agent that sends the operation. */
  readonly agent?: (before: readonly CallReply[]) => string;
  /** Index of its HTTP route, if it has several. */
  readonly route?: number;
}

type StepInput = OperationInput | ((before: readonly CallReply[]) => OperationInput);

export const step = (
  operation: string,
  input: StepInput = {},
  more: Pick<ScriptStep, "key" | "route" | "agent"> = {},
): ScriptStep => ({
  operation,
  input: typeof input === "function" ? input : () => input,
  ...more,
});
