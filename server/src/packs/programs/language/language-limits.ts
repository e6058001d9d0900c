/** The bounds of a program. Nesting is bounded because parser, printer and compiler recurse. */
export const languageLimits = {
  functions: 100_000,
  types: 10_000,
  modules: 1_000,
  moduleDepth: 8,
  programNodes: 10_000_000,
  functionNodes: 2_000,
  nesting: 40,
  typeDepth: 8,
  parameters: 32,
  conditions: 32,
  callees: 500,
  /** Maximum characters of the text of one function or type. */
  textCharacters: 131_072,
  /** Maximum members of a struct or an enum. */
  members: 200,
  arrayLength: 1_000,
  steps: 100,
  changedFunctions: 64,
  changedNodes: 20_000,
  /** Maximum characters of the values that one mutation writes. */
  changedCharacters: 524_288,
  diagnostics: 50,
  syntaxErrors: 20,
} as const;
