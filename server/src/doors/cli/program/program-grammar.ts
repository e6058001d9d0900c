import type { CliCommand } from "../command.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { programCall, programOperations } from "./program-calls.ts";

export const programGrammarCommand: CliCommand = serverCommand({
  name: "program grammar",
  positionalsMax: 0,
  summary: "print the grammar of programs with examples, for prompts",
  details: ["Prints the grammar of programs with one example of everything.", "", "  holdfast program grammar"],
  options: {},
  operations: programOperations("programs.get-grammar"),
  async execute(context) {
    const grammar = await programCall(context, "programs.get-grammar", {});
    return context.show(grammar, () => grammar.text.trimEnd());
  },
});
