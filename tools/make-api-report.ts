/**
 * Writes the public types of the client: `node tools/make-api-report.ts`. A test compares the report, so that a change of
 * the interface is seen in a review.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const root = join(import.meta.dirname, "..");

export const apiReportPath = join(root, "sdk/api-report.txt");

/** The entries of the sdk that programs import. */
const entries = [
  "sdk/src/index.ts",
  "sdk/src/client/data/problem-guards.ts",
  "sdk/src/client/packs/planning-client.ts",
];

/** Every exported name with its type, in the order of the names. */
export function apiReport(): string {
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
  return parts.join("\n");
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

if (import.meta.main) writeFileSync(apiReportPath, apiReport());
