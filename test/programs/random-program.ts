/** Random programs that pass the check of types. They are texts, so that they also exercise the parser. */
import type { Random } from "../simulation/random.ts";

interface Local {
  readonly name: string;
  readonly type: string;
  readonly isCell: boolean;
}

interface Written {
  readonly name: string;
  readonly parameters: readonly Local[];
  readonly result: string;
  readonly io: boolean;
}

const typeTexts = [
  "struct Point {\n  x: i64,\n  y: i64,\n}",
  'struct Range {\n  low: i64,\n  high: i64,\n  invariant low <= high "ordered"\n}',
  "enum Shape {\n  Dot,\n  Line(i64),\n  Box(Point),\n}",
];
const valueTypes = [
  ...["i64", "i64", "i64", "i32", "i8", "f64", "f32", "bool", "text", "Point", "Range", "Shape"],
  ...["list<i64>", "list<text>", "option<i64>", "result<i64, text>", "[i64; 2]"],
];
const integers = ["i64", "i32", "i8"];

type Operation = (inner: (type: string) => string, random: Random) => string;

const operations: Readonly<Record<string, readonly Operation[]>> = {
  bool: [
    (inner) => `${inner("i64")} < ${inner("i64")}`,
    (inner) => `not ${inner("bool")}`,
    (inner) => `${inner("bool")} and ${inner("bool")}`,
    (inner) => `(${inner("text")}) == (${inner("text")})`,
  ],
  text: [
    (inner) => `join(${inner("text")}, ${inner("text")})`,
    (inner) => `to_text(${inner("i64")})`,
    (inner) => `upper(${inner("text")})`,
    (inner) => `reverse(${inner("text")})`,
  ],
  Point: [
    (inner) => `Point { y: ${inner("i64")}, x: ${inner("i64")} }`,
    (inner) => `(${inner("Point")}) with { x: ${inner("i64")} }`,
  ],
  Range: [(_, random) => `Range { low: ${random.between(-9, 0)}, high: ${random.between(0, 9)} }`],
  Shape: [(inner) => `Shape.Line(${inner("i64")})`, (inner) => `Shape.Box(${inner("Point")})`, () => "Shape.Dot"],
  "list<i64>": [
    (inner) => `push(${inner("list<i64>")}, ${inner("i64")})`,
    (inner) => `[${inner("i64")}, ${inner("i64")}]`,
    (inner) => `sort(${inner("list<i64>")})`,
  ],
  "list<text>": [(inner) => `split(${inner("text")}, ",")`, (inner) => `[${inner("text")}]`],
  "option<i64>": [(inner) => `some(${inner("i64")})`, (inner) => `parse_i64(${inner("text")})`],
  "result<i64, text>": [(inner) => `ok(${inner("i64")})`, (inner) => `err(${inner("text")})`],
  "[i64; 2]": [
    (inner) => `[${inner("i64")}, ${inner("i64")}]`,
    (inner) => `(${inner("[i64; 2]")}) with { [1]: ${inner("i64")} }`,
  ],
};

export class ProgramWriter {
  readonly #random: Random;
  readonly #functions: Written[] = [];
  #names = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Types and functions. Functions call earlier ones. */
  texts(functions: number): readonly string[] {
    return [...typeTexts, ...Array.from({ length: functions }, () => this.#function())];
  }

  #name(prefix: string): string {
    this.#names += 1;
    return `${prefix}${this.#names}`;
  }

  #function(): string {
    const random = this.#random;
    const name = this.#name("do_");
    const parameters = Array.from({ length: random.below(4) }, () => this.#local(random.pick(valueTypes)));
    const result = random.pick(valueTypes);
    const io = random.chance(0.1);
    const scope = [...parameters];
    const conditions = this.#conditions(parameters, result);
    const lines = this.#statements(scope, result, io, 2);
    const tail = this.#value(result, scope, 3, io);
    this.#functions.push({ name, parameters, result, io });
    const heading = parameters.map((each) => `${each.name}: ${each.type}`).join(", ");
    const doc = random.chance(0.3) ? "/// Text of the function.\n" : "";
    const flags = `${random.chance(0.5) ? "pub " : ""}${io ? "io " : ""}`;
    return `${doc}${flags}fn ${name}(${heading}) -> ${result} ${conditions} {\n${lines.join("\n")}\n${tail}\n}`;
  }

  #local(type: string, isCell = false): Local {
    return { name: this.#name("v"), type, isCell };
  }

  #conditions(parameters: readonly Local[], result: string): string {
    const random = this.#random;
    if (random.chance(0.4)) return "";
    const numbers = parameters.filter(({ type }) => type === "i64");
    const lists = parameters.filter(({ type }) => type.startsWith("list"));
    const requires = [
      ...(numbers.length > 1 ? [`requires ${numbers[0]!.name} <= ${numbers[1]!.name}`] : []),
      ...(numbers.length > 0
        ? [`requires ${numbers[0]!.name} > ${random.between(-20, 20)} and ${numbers[0]!.name} != 7`]
        : []),
      ...(lists.length > 0 ? [`requires length(${lists[0]!.name}) >= 1 "not empty"`] : []),
    ];
    const isTrue = integers.includes(result) ? "result == result and not (result < result)" : "true";
    return [...requires.filter(() => random.chance(0.6)), `ensures ${isTrue}`].join(" ");
  }

  #statements(scope: Local[], result: string, io: boolean, depth: number): readonly string[] {
    const lines: string[] = [];
    const count = this.#random.below(4);
    for (let index = 0; index < count; index += 1) lines.push(this.#statement(scope, result, io, depth));
    return lines;
  }

  #block(scope: readonly Local[], result: string, io: boolean, depth: number, more: readonly Local[] = []): string {
    return `{\n${this.#statements([...scope, ...more], result, io, depth).join("\n")}\n}`;
  }

  #statement(scope: Local[], result: string, io: boolean, depth: number): string {
    const random = this.#random;
    const value = (type: string): string => this.#value(type, scope, depth, io);
    const note = random.chance(0.15) ? "// a note\n" : "";
    const kind = random.weighed({
      let: 5,
      var: 3,
      set: 3,
      if: 2,
      while: 1,
      for: 2,
      drop: 1,
      assert: 1,
      return: 1,
      print: 1,
    });
    const cells = scope.filter(({ isCell }) => isCell);
    if (kind === "let" || kind === "var" || depth === 0) {
      const local = this.#local(random.pick(valueTypes), kind === "var");
      const text = `${note}${kind === "var" ? "var" : "let"} ${local.name}: ${local.type} = ${value(local.type)};`;
      scope.push(local);
      return text;
    }
    if (kind === "set" && cells.length > 0) {
      const cell = random.pick(cells);
      return `${note}${cell.name} = ${value(cell.type)};`;
    }
    if (kind === "while") {
      const cell = this.#local("i64", true);
      scope.push(cell);
      return `var ${cell.name}: i64 = 0;\nwhile ${cell.name} < ${random.below(6)} {\n${cell.name} = ${cell.name} + 1;\n}`;
    }
    if (kind === "for") {
      const item = this.#local("i64");
      const over = random.chance(0.5) ? `0..${random.below(5)}` : `(${value("list<i64>")})`;
      return `${note}for ${item.name} in ${over} ${this.#block(scope, result, io, depth - 1, [item])}`;
    }
    return this.#plainStatement(kind, { scope, result, io, depth, note });
  }

  #plainStatement(
    kind: string,
    { scope, result, io, depth, note }: { scope: Local[]; result: string; io: boolean; depth: number; note: string },
  ): string {
    const value = (type: string): string => this.#value(type, scope, depth, io);
    if (kind === "drop") return `${note}${value("i64")};`;
    if (kind === "assert") return `assert ${value("i64")} == 5 or true;`;
    if (kind === "print" && io) return `print(${value("text")});`;
    if (kind === "return") return `if ${value("bool")} {\nreturn ${value(result)};\n}`;
    return `${note}if ${value("bool")} ${this.#block(scope, result, io, depth - 1)}`;
  }

  /** An expression of a type. */
  #value(type: string, scope: readonly Local[], depth: number, io: boolean): string {
    const random = this.#random;
    const known = scope.filter((local) => local.type === type);
    if (known.length > 0 && random.chance(depth <= 0 ? 0.8 : 0.35)) return random.pick(known).name;
    if (depth <= 0) return this.#literal(type);
    const inner = (of: string): string => this.#value(of, scope, depth - 1, io);
    if (random.chance(0.12)) return `(if ${inner("bool")} { ${inner(type)} } else { ${inner(type)} })`;
    if (random.chance(0.06)) return this.#match(type, scope, depth, io);
    const callees = this.#functions.filter((each) => each.result === type && (io || !each.io));
    if (callees.length > 0 && random.chance(0.25)) {
      const { name, parameters } = random.pick(callees);
      return `${name}(${parameters.map((each) => inner(each.type)).join(", ")})`;
    }
    return this.#operation(type, inner);
  }

  #match(type: string, scope: readonly Local[], depth: number, io: boolean): string {
    const bound = this.#local("i64");
    const inside = [...scope, bound];
    const value = (of: string, locals = scope): string => this.#value(of, locals, depth - 1, io);
    const arms = this.#random.pick([
      () =>
        `match parse_i64(${value("text")}) { some(${bound.name}) => ${value(type, inside)}, none => ${value(type)}, }`,
      () => `match (${value("Shape")}) { Line(${bound.name}) => { ${value(type, inside)} }, _ => ${value(type)}, }`,
      () => `match ${value("i64")} { 0 => ${value(type)}, -1 => ${value(type)}, _ => ${value(type)}, }`,
      () => `match ${value("bool")} { true => ${value(type)}, false => ${value(type)}, }`,
    ])();
    return `(${arms})`;
  }

  /** Alternatives are functions, so that only the chosen one is written. */
  #operation(type: string, inner: (type: string) => string): string {
    const random = this.#random;
    if (integers.includes(type))
      return random.pick([
        () => `(${inner(type)} +% ${inner(type)})`,
        () => `(${inner(type)} -% ${inner(type)})`,
        () => `(${inner(type)} *% ${inner(type)})`,
        () => `(${inner(type)} % ${random.between(1, 9)})`,
        () => `(${inner(type)} & ${inner(type)} | ${inner(type)} ^ 1)`,
        () => `(${inner(type)} >> ${random.below(8)})`,
        () => `max(${inner(type)}, ~${inner(type)})`,
        ...(type === "i64" ? this.#wholeOf(inner) : [() => `((${inner("i64")} % 50) as ${type})`]),
      ])();
    if (type === "f64" || type === "f32")
      return random.pick([
        () => `(${inner(type)} + ${inner(type)})`,
        () => `-(${inner(type)} * 0.5)`,
        () => `floor(${inner(type)})`,
        () => `abs(${inner(type)})`,
      ])();
    return `(${random.pick(operations[type] ?? [() => this.#literal(type)])(inner, random)})`;
  }

  #wholeOf(inner: (type: string) => string): readonly (() => string)[] {
    return [
      () => `length(${inner("list<i64>")})`,
      () => `(${inner("Point")}).x`,
      () => `(${inner("[i64; 2]")})[${this.#random.below(2)}]`,
      () => `(${inner("Range")}).high`,
    ];
  }

  #literal(type: string): string {
    const random = this.#random;
    const table: Readonly<Record<string, string>> = {
      ...{
        i64: String(random.between(-300, 300)),
        i32: String(random.between(-300, 300)),
        i8: String(random.between(-99, 99)),
      },
      ...{ f64: `${random.between(-9, 9)}.25`, f32: `${random.between(-9, 9)}.5`, bool: String(random.chance(0.5)) },
      ...{ text: random.pick(['"a"', '"B c"', '"é\\n"', '""', '"12"']), Point: "(Point { x: 1, y: 2 })" },
      ...{ Range: "(Range { low: 1, high: 2 })", Shape: "Shape.Dot", "[i64; 2]": "[3, 4]", "list<text>": '["x"]' },
      ...{ "list<i64>": "[5, 6]", "option<i64>": "none", "result<i64, text>": 'err("no")' },
    };
    return table[type] ?? "unit";
  }
}
