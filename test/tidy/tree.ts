/** The files that the tidy tests check: all files of the checkout except installed, built and ignored ones. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, extname, join, relative, sep } from "node:path";

export interface ProjectFile {
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  /** Empty for files that are not text. */
  readonly text: string;
}

export const root = join(import.meta.dirname, "..", "..");

const notOurs = new Set(["node_modules", "dist", ".git", ".tmp", ".holdfast"]);
const textExtensions = new Set([
  ".ts",
  ".js",
  ".json",
  ".md",
  ".sql",
  ".yml",
  ".yaml",
  ".html",
  ".css",
  ".sh",
  ".py",
  ".service",
]);
const textNames = new Set(["LICENSE", "run", ".gitignore", ".formatignore"]);

function walk(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((item) => !notOurs.has(item.name) && !item.name.endsWith(".tgz"))
    .flatMap((item) => (item.isDirectory() ? walk(join(folder, item.name)) : [join(folder, item.name)]));
}

function load(file: string): ProjectFile {
  const isText = textExtensions.has(extname(file)) || textNames.has(basename(file));
  return { path: relative(root, file).split(sep).join("/"), text: isText ? readFileSync(file, "utf8") : "" };
}

export const projectFiles: readonly ProjectFile[] = walk(root)
  .map(load)
  .sort((a, b) => (a.path < b.path ? -1 : 1));

export const filesUnder = (folder: string, extension = ""): readonly ProjectFile[] =>
  projectFiles.filter(({ path }) => path.startsWith(`${folder}/`) && path.endsWith(extension));

export const lineCount = ({ text }: ProjectFile): number => text.trimEnd().split("\n").length;
