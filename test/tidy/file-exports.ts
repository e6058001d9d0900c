/**
 * A file exports a name that holds the words of the file's name in their order. `read-config.ts` exports `readConfig`,
 * `commands/agents.ts` exports `agentsCommand`, and `http/open.ts` exports `openHttpDoor`. Singular and plural are
 * equal.
 */
import { basename } from "node:path";
import type { Finding } from "./finding.ts";
import { type Exception, without } from "./phrases.ts";
import type { ProjectFile } from "./tree.ts";

const exceptions: readonly Exception[] = [
  { path: "sdk/src/index.ts", reason: "a public surface" },
  { path: "sdk/src/contract/index.ts", reason: "a public surface" },
  { path: "server/src/index.ts", reason: "a public surface" },
  { path: "server/src/doors/cli/main.ts", reason: "the entry point of the command, which is run" },
];

/** A worker is run by its path and exports nothing. */
const isWorker = (path: string): boolean => /-worker(\.node)?\.ts$/u.test(path);

/** Made from the contract: one guard per problem, so each is an entry of the package. */
const isGuards = (path: string): boolean => /^sdk\/src\/client\/data\/[a-z]+-guards\.ts$/u.test(path);

const declaration = /^export (?:declare |abstract |async )*(?:interface|type|class|function\*?|const|let) (\w+)/gmu;
const listed = /^export (?:type )?\{([^}]*)\}/gmu;

const singular = (word: string): string => word.replace(/ies$/u, "y").replace(/(?<=(?:x|ch|sh|ss))es$|(?<!s)s$/u, "");
const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z\d])([A-Z])|([A-Z])([A-Z][a-z])/gu, "$1$3-$2$4")
    .toLowerCase()
    .split(/[-_]/u)
    .map(singular);

/** `openapi` in a file name is `OpenApi` in an export, so words are compared without their borders. */
function holdsWords(name: string, fileWords: readonly string[]): boolean {
  let rest = wordsOf(name).join("");
  for (const word of fileWords) {
    const at = rest.indexOf(word);
    if (at === -1) return false;
    rest = rest.slice(at + word.length);
  }
  return true;
}

function exportsOf(text: string): readonly string[] {
  const declared = [...text.matchAll(declaration)].map((match) => match[1] ?? "");
  const named = [...text.matchAll(listed)].flatMap((match) => (match[1] ?? "").split(","));
  return [
    ...declared,
    ...named.map((name) =>
      name
        .replace(/.* as /u, "")
        .replace("type ", "")
        .trim(),
    ),
  ];
}

export function findFileExports(files: readonly ProjectFile[]): readonly Finding[] {
  return without(files, exceptions)
    .filter(({ path }) => /^(sdk|server)\/src\/.*\.ts$/u.test(path) && !isWorker(path) && !isGuards(path))
    .filter(({ path, text }) => {
      const fileWords = wordsOf(basename(path, ".ts").replace(/\.(node|browser)$/u, ""));
      return !exportsOf(text).some((name) => holdsWords(name, fileWords));
    })
    .map(({ path, text }) => ({
      path,
      line: 1,
      message: `exports ${exportsOf(text).join(", ") || "nothing"} → one export named like the file`,
    }));
}
