/**
 * Writes the public types of the client: `node tools/make-api-report.ts`. A test compares the report, so that a change of
 * the interface is seen in a review.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { packs } from "@holdfast/sdk/contract";

const root = join(import.meta.dirname, "..");

export const apiReportPath = join(root, "sdk/api-report.txt");

/** The entries of the sdk that programs import. */
const entries = [
  "sdk/src/index.ts",
  "sdk/src/client/data/problem-guards.ts",
  ...packs.map(({ name }) => `sdk/src/client/data/${name}-guards.ts`),
];

/** Every exported name with its type, in the order of the names, and the types that programs meet and cannot name. */
export function apiReport(): { readonly text: string; readonly unnamed: readonly string[] } {
  const { config } = ts.readConfigFile(join(root, "tsconfig.base.json"), (path) => ts.sys.readFile(path)) as {
    readonly config: { readonly compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson({ ...config.compilerOptions, noEmit: true }, root);
  const files = entries.map((entry) => join(root, entry));
  const program = ts.createProgram(files, { ...options, types: [], lib: [...(options.lib ?? []), "lib.dom.d.ts"] });
  const checker = program.getTypeChecker();
  const parts = files.map((file, index) => {
    const source = program.getSourceFile(file);
    const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
    const symbols = module === undefined ? [] : checker.getExportsOfModule(module);
    const lines = symbols.map((symbol) => describe(checker, symbol)).sort();
    return [`# ${entries[index] ?? ""}`, ...lines, ""].join("\n");
  });
  return { text: parts.join("\n"), unnamed: unnamedTypes(program, files[0] ?? "") };
}

/** The types in the declarations of the index, and of the types that these mention, that the index does not export. */
function unnamedTypes(program: ts.Program, index: string): readonly string[] {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(index);
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  const exported = (module === undefined ? [] : checker.getExportsOfModule(module)).map((symbol) =>
    target(checker, symbol),
  );
  const [named, unnamed] = [new Set(exported), new Set<string>()];
  const visit = (node: ts.Node): void => {
    const name = ts.isTypeReferenceNode(node)
      ? node.typeName
      : ts.isExpressionWithTypeArguments(node)
        ? node.expression
        : undefined;
    const symbol = name === undefined ? undefined : checker.getSymbolAtLocation(name);
    const found = symbol === undefined ? undefined : target(checker, symbol);
    if (found !== undefined && !named.has(found) && isOwnType(found)) unnamed.add(found.name);
    if (!isInternal(node)) ts.forEachChild(node, visit);
  };
  for (const { declarations = [] } of exported)
    for (const declaration of declarations) if (!ts.isVariableDeclaration(declaration)) visit(declaration);
  return [...unnamed].sort();
}

/** Bodies, private and static members and constructors are not part of the interface that a program meets. */
function isInternal(node: ts.Node): boolean {
  if (ts.isBlock(node) || ts.isConstructorDeclaration(node)) return true;
  if (!ts.isClassElement(node)) return false;
  const isStatic = (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Static) !== 0;
  return isStatic || (node.name !== undefined && ts.isPrivateIdentifier(node.name));
}

function target(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
}

/** A type of the client. An alias that its file does not export is a shorthand for members of other types. */
function isOwnType({ declarations = [] }: ts.Symbol): boolean {
  return declarations.some((node) => {
    if (!node.getSourceFile().fileName.includes("/sdk/src/client/")) return false;
    if (ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)) return true;
    return ts.isTypeAliasDeclaration(node) && (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Export) !== 0;
  });
}

const flags = (ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.InTypeAlias) as ts.TypeFormatFlags;

function describe(checker: ts.TypeChecker, exported: ts.Symbol): string {
  const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
  const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
  const isValue = (symbol.flags & ts.SymbolFlags.Value) !== 0;
  const generic = symbol.declarations?.find(isGeneric);
  if (generic !== undefined && !isValue) return `type ${exported.name}: ${generic.getText().replaceAll(/\s+/gu, " ")}`;
  const type = isValue ? checker.getTypeOfSymbol(symbol) : checker.getDeclaredTypeOfSymbol(symbol);
  const isClass = (symbol.flags & ts.SymbolFlags.Class) !== 0;
  const shown = isClass ? checker.getDeclaredTypeOfSymbol(symbol) : type;
  return `${isValue ? "value" : "type"} ${exported.name}: ${textOf(checker, shown)}`;
}

/** A generic type is shown as it is declared: its instances differ. */
function isGeneric(node: ts.Declaration): boolean {
  const isType = ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node);
  return isType && node.typeParameters !== undefined;
}

/** The members of an object type, and the text of any other type. */
function textOf(checker: ts.TypeChecker, type: ts.Type): string {
  if (type.isUnion() || !isObject(type) || type.getCallSignatures().length > 0) return typeText(checker, type);
  const members = checker.getPropertiesOfType(type).filter(({ name }) => !name.startsWith("__@") && !isPrivate(name));
  const lines = members.map((member) => {
    const isOptional = (member.flags & ts.SymbolFlags.Optional) !== 0;
    return `${member.name}${isOptional ? "?" : ""}: ${typeText(checker, checker.getTypeOfSymbol(member))}`;
  });
  return `{ ${lines.join("; ")} }`;
}

const isPrivate = (name: string): boolean => name.startsWith("#") || name.startsWith("__#");

function isObject(type: ts.Type): boolean {
  return (type.flags & ts.TypeFlags.Object) !== 0 || type.isIntersection();
}

function typeText(checker: ts.TypeChecker, type: ts.Type): string {
  return checker.typeToString(type, undefined, flags);
}

if (import.meta.main) writeFileSync(apiReportPath, apiReport().text);
