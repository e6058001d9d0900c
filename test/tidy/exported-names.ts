/** Which names a file exports, and which of them other files import. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { root } from "./tree.ts";
import type { ProjectFile } from "./tree.ts";

export interface ExportedName {
  readonly path: string;
  readonly name: string;
  readonly isFunction: boolean;
}

/** A file that is imported, and the names; all of them for `import(…)`, which takes the whole module. */
interface ImportedNames {
  readonly path: string;
  readonly names: readonly string[] | "all";
}

const declaration = /^export (?:abstract )?(async function\*?|function\*?|const|class|interface|type) (\w+)/gmu;

export function exportsOf({ path, text }: ProjectFile): readonly ExportedName[] {
  const found = [...text.matchAll(declaration)].map(([, kind = "", name = ""]) => ({
    path,
    name,
    isFunction: kind.includes("function") || isArrow(text, name),
  }));
  // An overloaded function has several lines and is one export.
  return [...new Map(found.map((item) => [item.name, item])).values()];
}

/** Whether a constant is a function: `export const unused = (` or `export const unused: Rule = (`. */
function isArrow(text: string, name: string): boolean {
  return new RegExp(`^export const ${name}\\b[^=]*= (async )?(\\(|\\w+ =>|<)`, "mu").test(text);
}

/** Where the names of packages lead: `@holdfast/sdk/json/json`, `holdfast`, `#host`. */
interface PackageMap {
  readonly name: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly imports?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const packages = ["sdk", "server"].map((folder) => {
  const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as PackageMap;
  return { folder, ...manifest };
});

function resolve(from: string, specifier: string): readonly string[] {
  if (specifier.startsWith(".")) return [join(dirname(from), specifier)];
  return packages.flatMap(({ folder, name, exports, imports = {} }) => {
    const own = from.startsWith(`${folder}/`) ? Object.values(imports[specifier] ?? {}) : [];
    const exported = Object.entries(exports).flatMap(([subpath, file]) => {
      const [start = "", end] = join(name, subpath).split("*");
      if (end === undefined) return specifier === start ? [file] : [];
      return specifier.startsWith(start) ? [file.replace("*", specifier.slice(start.length))] : [];
    });
    return [...own, ...exported].map((file) => join(folder, file));
  });
}

const named = /^(?:import|export)(?: type)? \{([^}]*)\} from "([^"]+)"/gmu;
const whole = /\bimport(?: \* as \w+ from |\()"([^"]+)"/gu;

function importsOf({ path, text }: ProjectFile): readonly ImportedNames[] {
  const byName = [...text.matchAll(named)].flatMap(([, list = "", specifier = ""]) => {
    const names = list.split(",").map((item) => /^(?:type )?(\w*)/u.exec(item.trim())?.[1] ?? "");
    return resolve(path, specifier).map((target) => ({ path: target, names }));
  });
  const asWhole = [...text.matchAll(whole)].flatMap(([, specifier = ""]) =>
    resolve(path, specifier).map((target) => ({ path: target, names: "all" as const })),
  );
  return [...byName, ...asWhole];
}

/** The exports of `files` that no file of `users` imports. */
export function unusedExports(files: readonly ProjectFile[], users: readonly ProjectFile[]): readonly ExportedName[] {
  const used = new Set<string>();
  for (const { path, names } of users.flatMap(importsOf)) {
    if (names === "all") used.add(path);
    else for (const name of names) used.add(`${path} ${name}`);
  }
  return files.flatMap(exportsOf).filter(({ path, name }) => !used.has(path) && !used.has(`${path} ${name}`));
}

/** The names of functions that more than one file exports, each with its files. */
export function repeatedFunctions(files: readonly ProjectFile[]): ReadonlyMap<string, readonly string[]> {
  const byName = Map.groupBy(
    files.flatMap(exportsOf).filter(({ isFunction }) => isFunction),
    ({ name }) => name,
  );
  return new Map(
    [...byName].filter(([, all]) => all.length > 1).map(([name, all]) => [name, all.map(({ path }) => path)]),
  );
}
