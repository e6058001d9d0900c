/**
 * Finds the code spans of a document that are paths of this repository. A document also names routes (`/v1/events`),
 * packages (`@holdfast/sdk`), media types and lock paths (`project/7`). A code span counts as a path only if it ends like
 * a file of the project, or starts with one of its folders.
 */
import { dirname, posix } from "node:path";
import { projectFiles } from "./tree.ts";

const ourEnding = /[^./]\.(ts|js|json|md|sql|yml|yaml|sh)$/;
/** Folders that a path may be relative to, in addition to the folder of the document. */
const bases = ["", "server/src/", "sdk/src/", "server/", "sdk/"];
/** Made by a tool or by a running server, so a checkout does not have them. */
const made = /(^|\/)(dist|node_modules|\.tmp|\.holdfast|data)(\/|$)/;

const files = projectFiles.map(({ path }) => path);
const folders = new Set(files.flatMap((path) => ancestors(path)));
const ourStart = new Set(
  [...folders]
    .flatMap((folder) => bases.filter((base) => folder.startsWith(base)).map((base) => folder.slice(base.length)))
    .filter((folder) => folder !== "" && !folder.includes("/")),
);

function ancestors(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === "." ? [] : [folder, ...ancestors(folder)];
}

export function looksLikeOurPath(word: string): boolean {
  if (!/^[\w.*{},/-]+$/.test(word) || /^[/*]/.test(word) || word.startsWith("./") || made.test(word)) return false;
  return ourEnding.test(word) || (word.includes("/") && ourStart.has(word.slice(0, word.indexOf("/"))));
}

const escaped = (text: string): string => text.replace(/[.+?^$()|[\]\\]/g, "\\$&");

/** `*` matches a part of a name, `**` any folders, `{a,b}` one of several names. */
function patternOf(word: string): RegExp {
  const alternatives = escaped(word).replace(/\{([^}]*)\}/g, (_, list: string) => `(${list.replaceAll(",", "|")})`);
  const stars = alternatives.replace(/\*\*\/?|\*/g, (star) => (star === "*" ? "[^/]*" : ".*"));
  return new RegExp(`^${stars}$`);
}

export function existsHere(word: string, document: string): boolean {
  const name = word.replace(/\/$/, "");
  if (!name.includes("/")) {
    const pattern = patternOf(name);
    return [...files, ...folders].some((path) => pattern.test(posix.basename(path)));
  }
  const starts = [...bases, `${dirname(document)}/`];
  const patterns = starts.map((start) => patternOf(posix.normalize(start + name)));
  return [...files, ...folders].some((path) => patterns.some((pattern) => pattern.test(path)));
}
