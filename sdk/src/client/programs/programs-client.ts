import type { ClientClock } from "../client-clock.ts";
import type { CoreClient } from "../core-client.ts";
import { programsData } from "../data/programs-data.ts";
import type { Run } from "../entities-client.ts";
import type { CamelWords, SendOperation } from "../operations-client.ts";
import type { ProgramMutation, ProgramOperations } from "../packs/program-operations.ts";
import type { CallOptions } from "../transport/transport.ts";
import { editProgram } from "./edit-program.ts";
import type { ChangeProgram } from "./edit-program.ts";
import type { ProgramEdit } from "./program-edit.ts";

type ProgramArguments<Input> = object extends Input
  ? [programId: string, input?: Input, options?: CallOptions]
  : [programId: string, input: Input, options?: CallOptions];

/** Operations on one program have its id as their first argument. The others have their input alone. */
type ProgramMethod<Input, Output> = Input extends { readonly programId: string }
  ? (...args: ProgramArguments<Omit<Input, "programId">>) => Promise<Output>
  : SendOperation<Input, Output>;

type ProgramMethods = {
  readonly [Name in keyof ProgramOperations as CamelWords<Name>]: ProgramMethod<
    ProgramOperations[Name]["input"],
    ProgramOperations[Name]["output"]
  >;
};

/** The pack `programs`: each of its operations as a method, and `edit`. */
export interface ProgramsClient extends ProgramMethods {
  /**
   * Changes functions under their locks: acquires the locks, reads the texts, calls `change` and sends the result with
   * the hashes that were read. After a conflict it reads again and calls `change` again with the difference.
   */
  edit<const Write extends string, const Read extends string = never>(
    programId: string,
    edit: ProgramEdit<Write, Read>,
    change: ChangeProgram<Write | Read>,
  ): Promise<ProgramMutation>;
}

interface ProgramsHost {
  readonly run: Run;
  readonly clock: ClientClock;
  readonly client: Pick<CoreClient, "acquire" | "tryAcquire">;
}

/** The operations that name no program, or make its id. */
const withoutProgram = new Set(["programs.create", "programs.list", "programs.get-grammar"]);

export function programsClient({ run, clock, client }: ProgramsHost): ProgramsClient {
  const methods = Object.keys(programsData.operations).map((name) => [
    methodName(name),
    withoutProgram.has(name)
      ? (input: object = {}, options: CallOptions = {}) => run(name, input, options)
      : (programId: string, input: object = {}, options: CallOptions = {}) =>
          run(name, { ...input, programId }, options),
  ]);
  return {
    ...(Object.fromEntries(methods) as ProgramMethods),
    edit: (programId, edit, change) => editProgram({ run, clock, client }, { programId, ...edit }, change),
  };
}

const methodName = (operation: string): string =>
  operation
    .slice(operation.indexOf(".") + 1)
    .replaceAll(/-([a-z])/gu, (_match, letter: string) => letter.toUpperCase());
