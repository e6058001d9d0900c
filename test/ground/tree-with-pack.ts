/** A copy of the project with the pack of a guide. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import ts from "typescript";

const root = join(import.meta.dirname, "..", "..");

export interface TreeWithPack {
  readonly folder: string;
  /** The files of the guide that already existed. */
  readonly changed: readonly string[];
}

/** Copies sources and tests, and writes the files of the guide into the copy. Libraries are linked. */
export function treeWithPack(files: ReadonlyMap<string, string>): TreeWithPack {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-pack-"));
  for (const name of ["sdk", "server", "test", "tools", "package.json", "tsconfig.json", "tsconfig.base.json"]) {
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: (path) => !path.endsWith("node_modules") });
  }
  linkLibraries(folder);
  const changed = [...files.keys()].filter((file) => existsSync(join(folder, file)));
  for (const [file, code] of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), code);
  }
  return { folder, changed };
}

/** Each library is linked alone: the links of the project's own packages must lead into the copy. */
function linkLibraries(folder: string): void {
  const libraries = join(root, "node_modules");
  mkdirSync(join(folder, "node_modules", "@holdfast"), { recursive: true });
  for (const name of readdirSync(libraries)) {
    if (name !== "@holdfast" && name !== "holdfast")
      symlinkSync(join(libraries, name), join(folder, "node_modules", name));
  }
  symlinkSync(join(folder, "sdk"), join(folder, "node_modules", "@holdfast", "sdk"));
  symlinkSync(join(folder, "server"), join(folder, "node_modules", "holdfast"));
}

/** The errors of types in these files. Only they are checked, which is cheaper than a check of the project. */
export function typeErrors(folder: string, files: readonly string[]): readonly string[] {
  const config = ts.readConfigFile(join(folder, "tsconfig.json"), (path) => ts.sys.readFile(path)).config as object;
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files }, ts.sys, folder);
  const program = ts.createProgram({ rootNames: files.map((file) => join(folder, file)), options });
  return files.flatMap((file) => {
    const source = program.getSourceFile(join(folder, file));
    if (source === undefined) return [`${file} is missing`];
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(({ messageText }) => `${file}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`);
  });
}
