import type { ProgramReply } from "./program-calls.ts";

/** An accepted mutation for people. */
export function mutationText(accepted: ProgramReply<"programs.mutate">): string {
  const { program_id: program, version, changed, functions, types, created, verdict } = accepted;
  if (!changed) return `${program} has this content already, at version ${version}. Nothing was changed.`;
  const { checked, tested, cases, untested, warnings } = verdict;
  const modules = created.filter(({ kind }) => kind === "module").map(({ id }) => `  module ${id} added`);
  const lines = [
    ...functions.map(({ function_id: id, name, change, version: of }) => `  ${name} (${id}) ${change}, version ${of}`),
    ...types.map(({ type_id: id, name, change, version: of }) => `  ${name} (${id}) ${change}, version ${of}`),
    ...modules,
  ];
  const doubts = [untested > 0 ? `, ${untested} untested` : "", warnings > 0 ? `, ${warnings} warnings` : ""].join("");
  return [
    `${program} is at version ${version}.`,
    ...lines,
    `  checked ${checked} items, tested ${tested} with ${cases} cases${doubts}`,
  ].join("\n");
}
