/** The operations of programs with the members of the wire, and the arguments that name programs and functions. */
import type { InputOf, OperationName, OutputOf } from "@holdfast/sdk/contract";
import type { programMutations } from "@holdfast/sdk/contract/packs/programs/program-mutations";
import type { programReads } from "@holdfast/sdk/contract/packs/programs/program-reads";
import type { programResourceOperations } from "@holdfast/sdk/contract/packs/programs/program-resource-operations";
import { UsageError } from "../args/usage-error.ts";
import type { CallingAgent, ServerCaller } from "../discovery/server-caller.ts";

type Definitions =
  | (typeof programResourceOperations)[number]
  | (typeof programMutations)[number]
  | (typeof programReads)[number];

type Definition<Name extends Definitions["name"]> = Extract<Definitions, { readonly name: Name }>;

export type ProgramReply<Name extends Definitions["name"]> = OutputOf<Definition<Name>>;

/** Calls an operation of programs. */
export async function programCall<Name extends Definitions["name"]>(
  { run }: Pick<ServerCaller, "run">,
  operation: Name,
  input: InputOf<Definition<Name>>,
  options: { readonly agent?: CallingAgent; readonly key?: string | undefined } = {},
): Promise<ProgramReply<Name>> {
  return (await run(operation, input, options)) as ProgramReply<Name>;
}

/** The names of operations for the description of a command. */
export function programOperations(...names: readonly Definitions["name"][]): readonly OperationName[] {
  return names as readonly string[] as readonly OperationName[];
}

export interface ProgramTarget {
  readonly program: string;
  /** The id of a function or a type. */
  readonly item?: string;
}

/** Reads `PROGRAM` or `PROGRAM/FUNCTION`. */
export function programArgument(text = ""): ProgramTarget {
  const [program = "", item, ...rest] = text.split("/");
  if (program === "" || item === "" || rest.length > 0)
    throw new UsageError(`a program must be PROGRAM or PROGRAM/FUNCTION, like ledger or ledger/f1, not "${text}"`);
  return item === undefined ? { program } : { program, item };
}

/** Reads `PROGRAM/FUNCTION`. */
export function functionArgument(text?: string): Required<ProgramTarget> {
  const { program, item } = programArgument(text);
  if (item === undefined) throw new UsageError(`a function must be PROGRAM/FUNCTION, like ledger/f1, not "${program}"`);
  return { program, item };
}

/** Reads `PROGRAM` alone. */
export function wholeProgramArgument(text?: string): string {
  const { program, item } = programArgument(text);
  if (item !== undefined) throw new UsageError(`this needs the program alone: ${program}`);
  return program;
}
