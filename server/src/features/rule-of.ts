import { checkOf } from "@holdfast/sdk/contract";
import type { InputOf, Operation } from "@holdfast/sdk/contract";
import type { DecideContext, Decision, Rule } from "../machine/feature.ts";

/** The decision of one operation of the contract. */
export type Decide<O extends Operation> = (input: InputOf<O>, context: DecideContext) => Decision;

type CommandNames<Operations extends Record<string, Operation>> = {
  [Name in keyof Operations]: Operations[Name]["kind"] extends "read" ? never : Name;
}[keyof Operations];

/** One decision per operation of the contract that becomes a command. A missing one does not compile. */
type Decides<Operations extends Record<string, Operation>> = {
  readonly [Name in CommandNames<Operations>]: Decide<Operations[Name]>;
};

export function ruleOf<O extends Operation>(operation: O, decide: Decide<O>): Rule {
  return { check: checkOf(operation.input), decide };
}

export function rulesOf<const Operations extends Record<string, Operation>>(
  operations: Operations,
  decides: Decides<Operations>,
): Readonly<Record<string, Rule>> {
  const names = Object.keys(decides) as CommandNames<Operations>[];
  return Object.fromEntries(names.map((name) => [name, ruleOf(operations[name], decides[name])]));
}
