/** The types of the operations of programs, by the name after the dot. */
import type { Static } from "typebox";
import type { programsProblemData } from "../../contract/packs/programs-problem-data.ts";
import type { programMutations } from "../../contract/packs/programs/program-mutations.ts";
import type { programReads } from "../../contract/packs/programs/program-reads.ts";
import type { programResourceOperations } from "../../contract/packs/programs/program-resource-operations.ts";
import type { programDiagnostic } from "../../contract/packs/programs/program.ts";
import type { ClientForm } from "../data/client-form.ts";
import type { InputOfOperation, OutputOfOperation } from "../operation-output.ts";

type Definitions =
  | (typeof programResourceOperations)[number]
  | (typeof programMutations)[number]
  | (typeof programReads)[number];
type ShortName<Name> = Name extends `programs.${infer Short}` ? Short : never;

export type ProgramOperations = {
  [Definition in Definitions as ShortName<Definition["name"]>]: {
    readonly input: InputOfOperation<Definition>;
    readonly output: OutputOfOperation<Definition>;
  };
};

/** A function as the client reads it. */
export type ProgramFunction = ProgramOperations["get-function"]["output"];
/** One step of a mutation. */
export type ProgramEditStep = ProgramOperations["mutate"]["input"]["mutations"][number];
/** An accepted mutation. */
export type ProgramMutation = ProgramOperations["mutate"]["output"];
/** A finding about a program, with its place in the text. */
export type ProgramDiagnostic = ClientForm<Static<typeof programDiagnostic>>;
/** A function or a type that changed after it was read, with the changes and their author. */
export type ProgramConflict = ClientForm<
  Static<(typeof programsProblemData)["programs.hash_conflict"]>
>["conflicts"][number];
