/** One name for one type: a reader who searches for a type finds one declaration. */
import type { Finding } from "./finding.ts";
import { lineAt } from "./prose.ts";
import type { ProjectFile } from "./tree.ts";

/** Names that fit anything. */
const bannedNames = new Set([
  "Wish",
  "Place",
  "Facts",
  "Standing",
  "Sight",
  "Told",
  "Taken",
  "Asking",
  "Askers",
  "Turned",
  "Waiting",
]);

/** Folders that mirror each other. Their types share names, as their files do. */
const mirrors = ["memory", "sqlite", "postgres"].map((name) => `server/src/journal/${name}/`);

const declaration = /^(export )?(?:declare |abstract )*(?:interface|type|class) (\w+)/gmu;

interface TypeDeclaration {
  readonly path: string;
  readonly line: number;
  readonly name: string;
  readonly isExported: boolean;
}

const declarationsIn = ({ path, text }: ProjectFile): readonly TypeDeclaration[] =>
  [...text.matchAll(declaration)].map((match) => ({
    path,
    line: lineAt(text, match.index),
    name: match[2] ?? "",
    isExported: match[1] !== undefined,
  }));

/** The part of a path that two mirrored files have in common. */
const mirroredPath = (path: string): string =>
  mirrors.filter((folder) => path.startsWith(folder)).map((folder) => path.slice(folder.length))[0] ?? path;

/** `host.node.ts` and `host.browser.ts` are one module for two hosts. */
const isMirror = (a: TypeDeclaration, b: TypeDeclaration): boolean =>
  mirroredPath(a.path) === mirroredPath(b.path) ||
  a.path.replace(".node.ts", "") === b.path.replace(".browser.ts", "") ||
  a.path.replace(".browser.ts", "") === b.path.replace(".node.ts", "");

export function findTypeNames(files: readonly ProjectFile[]): readonly Finding[] {
  const declared = files.filter(({ path }) => /^(sdk|server)\/src\/.*\.ts$/u.test(path)).flatMap(declarationsIn);
  const banned = declared
    .filter(({ name }) => bannedNames.has(name))
    .map(({ path, line, name }) => ({ path, line, message: `type ${name} → a noun of the field` }));
  const byName = Map.groupBy(
    declared.filter(({ isExported }) => isExported),
    ({ name }) => name,
  );
  const shared = [...byName.values()].flatMap((sameName) =>
    sameName.flatMap((type) => {
      const other = sameName.find((candidate) => candidate !== type && !isMirror(candidate, type));
      return other === undefined ? [] : [{ ...type, message: `type ${type.name} is also in ${other.path}` }];
    }),
  );
  return [...banned, ...shared].map(({ path, line, message }) => ({ path, line, message }));
}
