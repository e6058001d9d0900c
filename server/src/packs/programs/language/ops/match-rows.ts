import { type GraphNode, textAttribute } from "../node.ts";
import type { Layout } from "../layout.ts";
import { type Code, trap } from "../run/frame.ts";
import { isVariant, type Value } from "../run/values.ts";
import { boolType, isInteger, isNever, neverType, textType, type Type } from "../types.ts";
import { armLines, joinRegions } from "./flow-rows.ts";
import { type CompileContext, levels, type OpRow, type PrintContext, type TypeContext } from "./op-row.ts";

/** The variants of a type that `match` can list completely. */
function variantsOf(check: TypeContext, type: Type): readonly { name: string; type: Type | null }[] | undefined {
  if (type.kind === "option")
    return [
      { name: "some", type: type.item },
      { name: "none", type: null },
    ];
  if (type.kind === "result")
    return [
      { name: "ok", type: type.ok },
      { name: "err", type: type.err },
    ];
  if (type.kind !== "named") return undefined;
  const definition = check.definition(type.id);
  return definition?.sort === "enum" ? definition.members : undefined;
}

const literalType: Readonly<Record<string, (type: Type) => boolean>> = {
  int: isInteger,
  bool: (type) => type.text === boolType.text,
  text: (type) => type.text === textType.text,
};

/** Binds the name of an arm, and reports a pattern that cannot match. */
function armPattern(check: TypeContext, arm: GraphNode, subject: Type): void {
  const [kind = "any"] = arm.attributes;
  const value = textAttribute(arm, 1);
  const isBound = arm.attributes[2] !== null;
  if (isBound) check.bind(arm.id, neverType);
  if (kind === "any" || isNever(subject)) return;
  const wrong = (message: string): Type =>
    check.report(arm, { code: "type.variant", message, found: check.show(subject) });
  if (kind !== "variant") {
    if (literalType[String(kind)]?.(subject) !== true) wrong(`${value} is not a pattern of ${check.show(subject)}`);
    return;
  }
  const variants = variantsOf(check, subject) ?? [];
  const variant = variants.find(({ name }) => name === value);
  if (variant === undefined) {
    wrong(`${check.show(subject)} has no variant ${value}: ${variants.map(({ name }) => name).join(", ")}`);
    return;
  }
  if (variant.type === null && isBound) wrong(`${value} has no payload`);
  if (isBound) check.bind(arm.id, variant.type ?? neverType);
}

const keyOf = (arm: GraphNode): string => `${textAttribute(arm, 0)} ${textAttribute(arm, 1)}`;

function checkCoverage(check: TypeContext, node: GraphNode, arms: readonly GraphNode[], subject: Type): void {
  const seen = new Set<string>();
  for (const arm of arms) {
    if (seen.has("any ") || seen.has(keyOf(arm)))
      check.report(arm, { code: "match.unreachable", message: "An earlier pattern matches the same values" });
    seen.add(keyOf(arm));
  }
  if (seen.has("any ") || isNever(subject)) return;
  const isBool = subject.text === boolType.text;
  const names = isBool ? ["true", "false"] : (variantsOf(check, subject)?.map(({ name }) => name) ?? ["_"]);
  const missing = names.filter((name) => !seen.has(`${isBool ? "bool" : "variant"} ${name}`));
  if (missing.length > 0)
    check.report(node, {
      code: "match.incomplete",
      message: `The patterns do not match ${missing.join(", ")}`,
      expected: missing.join(", "),
    });
}

function matchType(check: TypeContext, node: GraphNode, expected?: Type): Type {
  const subject = check.infer(node.inputs[0]);
  const arms = (node.regions[0] ?? []).flatMap(({ value }) => (typeof value === "object" ? [value] : []));
  for (const arm of arms) armPattern(check, arm, subject);
  checkCoverage(check, node, arms, subject);
  const bodies = { ...node, regions: arms.map((arm) => arm.regions[0] ?? []) };
  return joinRegions(check, bodies, [...arms.keys()], expected);
}

function testOf(arm: GraphNode): (value: Value) => boolean {
  const text = textAttribute(arm, 1);
  if (arm.attributes[0] === "variant") return (value) => isVariant(value) && value.variant === text;
  if (arm.attributes[0] === "int") {
    const wanted = BigInt(text);
    return (value) => value === wanted;
  }
  if (arm.attributes[0] === "bool") return (value) => value === (text === "true");
  return arm.attributes[0] === "text" ? (value) => value === text : () => true;
}

function runMatch(compile: CompileContext, node: GraphNode): Code {
  const subject = compile.code(node.inputs[0]);
  const arms = (node.regions[0] ?? []).flatMap(({ value: arm }) =>
    typeof arm === "object"
      ? [
          {
            test: testOf(arm),
            slot: arm.attributes[2] === null ? -1 : compile.slot(arm.id),
            code: compile.region(arm.regions[0]),
          },
        ]
      : [],
  );
  return (frame) => {
    const value = subject(frame);
    const arm = arms.find(({ test }) => test(value));
    if (arm === undefined) trap("No pattern matches.");
    if (arm.slot >= 0) frame.slots[arm.slot] = isVariant(value) ? value.payload : null;
    return arm.code(frame);
  };
}

function printPattern(arm: GraphNode): string {
  const [kind, , name] = arm.attributes;
  const value = textAttribute(arm, 1);
  if (kind === "any") return "_";
  if (kind === "text") return JSON.stringify(value);
  return typeof name === "string" ? `${value}(${name})` : value;
}

function printArm(print: PrintContext, arm: GraphNode): Layout {
  const region = arm.regions[0] ?? [];
  const [only, more] = region;
  const isPlain = more === undefined && only?.note === null && print.isValue(only.value);
  const pattern = `${print.keyword(printPattern(arm), arm)} => `;
  return [pattern, isPlain ? print.value(only.value, levels.flow) : print.block(region), ","];
}

export const matchRows = {
  match: {
    attributes: [],
    inputs: [1, 1],
    regions: ["arms"],
    place: "value",
    traps: true,
    text: {
      form: "own",
      level: levels.flow,
      print: (print, node) => [
        `${print.keyword("match", node)} `,
        print.head(node.inputs[0]),
        " ",
        armLines(print, node.regions[0] ?? []),
      ],
    },
    type: matchType,
    run: runMatch,
  },
  arm: {
    attributes: ["word", "text?", "name?"],
    inputs: [0, 0],
    regions: ["body"],
    place: "arm",
    text: { form: "own", level: levels.flow, print: printArm },
    // An arm is checked and run by its match.
    type: () => neverType,
    run: () => () => null,
  },
} satisfies Readonly<Record<string, OpRow>>;
