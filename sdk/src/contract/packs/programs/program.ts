/** The resource `program`, its ids and the values that several operations show. */
import Type from "typebox";
import { isoTime, line } from "../../agents.ts";
import type { Resource } from "../resource.ts";

const closed = { additionalProperties: false } as const;
const count = Type.Integer({ minimum: 0 });

export const programIdOf = Type.String({
  pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$",
  description: "The id of the program: up to 100 letters, digits, dots, `_` and `-`.",
});

const itemId = (of: string) =>
  Type.String({ pattern: "^[a-z][a-z0-9_]{0,39}$", description: `The id of ${of}: lower case, digits and \`_\`.` });

export const programFunctionId = itemId("a function");
export const programTypeId = itemId("a type");
export const programModuleId = itemId("a module");

export const contentHash = Type.String({
  pattern: "^[0-9a-f]{64}$",
  description: "BLAKE3 of the content, as a read returned it.",
});

export const programSettings = Type.Object(
  {
    cases: Type.Optional(
      Type.Integer({ minimum: 8, maximum: 1_000, description: "Cases for each tested function; 24 if absent." }),
    ),
    steps: Type.Optional(
      Type.Integer({ minimum: 1_000_000, maximum: 1_000_000_000, description: "Maximum steps of one check." }),
    ),
    retries: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 100, description: "Retries with hash conflicts before 429; 5 if absent." }),
    ),
  },
  { ...closed, description: "Only operators set them." },
);

export const programAuthor = Type.Object({ principal: Type.String(), agent: Type.Optional(Type.String()) }, closed);

/** A finding about a program. Members that only some codes have are optional. */
export const programDiagnostic = Type.Object(
  {
    code: Type.String(),
    severity: Type.Enum(["error", "warning"]),
    function_id: Type.Union([Type.String(), Type.Null()]),
    name: Type.Optional(Type.String({ description: "The name of the function or type." })),
    node_id: Type.Union([Type.Integer(), Type.Null()]),
    line: Type.Integer({
      description: "In the text that was sent, if a step cannot be applied. Otherwise in the canonical layout.",
    }),
    column: Type.Integer(),
    message: Type.String(),
    step: Type.Optional(Type.Integer({ minimum: 0, description: "The step of the mutation that cannot be applied." })),
    port: Type.Optional(Type.Integer()),
    expected: Type.Optional(Type.String()),
    found: Type.Optional(Type.String()),
    suggestion: Type.Optional(Type.String()),
    because: Type.Optional(
      Type.String({ description: "The function whose condition is broken, or whose change made this an error." }),
    ),
    case_of: Type.Optional(Type.String({ description: "The tested function that `inputs` are of, if it is another." })),
    condition: Type.Optional(Type.String({ description: "The text of the condition that failed." })),
    inputs: Type.Optional(Type.Unknown({ description: "The inputs of the failed case." })),
    result: Type.Optional(Type.Unknown()),
    steps: Type.Optional(Type.Integer()),
  },
  { description: "A finding about a function or a type, with its place in the text." },
);

export const programVerdict = Type.Object(
  {
    check: Type.String({ description: "The name of the check, such as programs/1." }),
    checked: Type.Integer({ minimum: 0, description: "Functions and types that were checked." }),
    tested: Type.Integer({ minimum: 0, description: "Functions whose conditions were tested on generated cases." }),
    untested: count,
    cases: count,
    steps: count,
    warnings: count,
  },
  closed,
);

export const program = {
  pack: "programs",
  name: "program",
  plural: "programs",
  type: "program",
  verbs: [],
  summary: "A typed program that many agents edit, verified at every position.",
  fixed: {},
  fields: { name: line, description: Type.Optional(line) },
  shown: {
    settings: programSettings,
    counts: Type.Object({ functions: count, types: count, modules: count, nodes: count }, closed),
    changed_at: isoTime,
  },
  filters: {},
  example: {
    created: { id: "ledger", name: "Ledger" },
    changes: { description: "Accounts and their orders." },
    filters: {},
  },
} as const satisfies Resource;
