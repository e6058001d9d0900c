import type { OperationName } from "../contract/all-operations.ts";
import type { OperationInput, OperationOutput } from "./operation-output.ts";
import { coreData } from "./data/core-data.ts";
import { packLoaders } from "./data/pack-loaders.ts";
import type { Run } from "./entities-client.ts";
import type { FileOperations } from "./packs/file-operations.ts";
import type { IntentOperations } from "./packs/intent-operations.ts";
import type { JobOperations } from "./packs/job-operations.ts";
import type { PlanningOperations } from "./packs/planning-operations.ts";
import type { ProgramOperations } from "./packs/program-operations.ts";
import type { WorkspaceOperations } from "./packs/workspace-operations.ts";
import type { CallOptions } from "./transport/transport.ts";

export type CamelWords<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelWords<Tail>>}`
  : Name;

type OperationArguments<Input> = object extends Input
  ? [input?: Input, options?: CallOptions]
  : [input: Input, options?: CallOptions];

/** Sends one operation as it is. A refusal is thrown as a HoldfastError. */
export type SendOperation<Input, Output> = (...args: OperationArguments<Input>) => Promise<Output>;

/** The methods of operations by name: `create-mission` is `createMission`. */
export type OperationMethods<
  Types extends Readonly<Record<string, { readonly input: unknown; readonly output: unknown }>>,
> = {
  readonly [Name in keyof Types & string as CamelWords<Name>]: SendOperation<
    Types[Name]["input"],
    Types[Name]["output"]
  >;
};

type CoreOperations = OperationMethods<{
  [Name in OperationName]: { readonly input: OperationInput<Name>; readonly output: OperationOutput<Name> };
}>;

/** Every operation of the contract, as a door offers it. The operations of a pack are in a group of its name. */
export interface OperationsClient extends CoreOperations {
  readonly planning: OperationMethods<PlanningOperations>;
  readonly intents: OperationMethods<IntentOperations>;
  readonly programs: OperationMethods<ProgramOperations>;
  readonly jobs: OperationMethods<JobOperations>;
  readonly files: OperationMethods<FileOperations>;
  readonly workspace: OperationMethods<WorkspaceOperations>;
}

export function operationsClient(run: Run): OperationsClient {
  const send =
    (operation: string) =>
    (input: object = {}, options: CallOptions = {}): Promise<unknown> =>
      run(operation, input, options);
  const core = Object.keys(coreData.operations).map((name) => [camelWords(name), send(name)]);
  // The names of a pack's operations are loaded with the pack.
  const packs = Object.keys(packLoaders).map((pack) => [
    pack,
    new Proxy({}, { get: (_target, method) => send(`${pack}.${kebabWords(String(method))}`) }),
  ]);
  return Object.fromEntries([...core, ...packs]) as OperationsClient;
}

const camelWords = (name: string): string =>
  name.replaceAll(/-([a-z])/gu, (_match, letter: string) => letter.toUpperCase());

const kebabWords = (method: string): string => method.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
