/** The types of the operations of files, by the name after the dot. */
import type { filesOperations } from "../../contract/packs/files/files-operations.ts";
import type { filesReads } from "../../contract/packs/files/files-reads.ts";
import type { InputOfOperation, OutputOfOperation } from "../operation-output.ts";

type Definitions = (typeof filesOperations)[number] | (typeof filesReads)[number];
type ShortName<Name> = Name extends `files.${infer Short}` ? Short : never;

export type FileOperations = {
  [Definition in Definitions as ShortName<Definition["name"]>]: {
    readonly input: InputOfOperation<Definition>;
    readonly output: OutputOfOperation<Definition>;
  };
};

/** A version of a target as reads show it. */
export type FileVersion = FileOperations["get"]["output"];
