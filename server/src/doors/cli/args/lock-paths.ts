import type { CommandArguments, CommandOption } from "../command.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { UsageError } from "./usage-error.ts";

/** The option of commands that take the paths of locks. */
export const literalOption: CommandOption = { summary: "accept the characters *, ?, [ ] and { } in a path" };

/** A shell expands such a pattern only if a file matches. Otherwise a lock on the pattern itself would protect nothing. */
const globPattern = /[*?]|\[[^/]*\]|\{[^/]*\}/u;

/** The paths of a command. `./` is removed, as `./src/a.ts` and `src/a.ts` are one file. */
export function lockPathsOf({ positionals, values }: CommandArguments): readonly string[] {
  return positionals.map((given) => {
    const path = normalised(given);
    if (values["literal"] !== true && globPattern.test(path)) throw globError(path);
    if (path === "" || path.split("/").includes("..")) {
      throw new UsageError(`"${given}" is not a path of a lock: name it from the root of the project, like src/a.ts`);
    }
    return path;
  });
}

function globError(path: string): UsageError {
  const parent = path.slice(0, Math.max(0, path.search(globPattern))).replace(/\/?[^/]*$/u, "");
  const hint = parent === "" ? "" : `; a lock on ${escapeControlChars(parent)} covers everything below it`;
  return new UsageError(`"${path}" has glob characters, and a lock is not a pattern${hint}; --literal accepts them`);
}

function normalised(path: string): string {
  return path
    .split("/")
    .filter((name, index) => name !== "." && (name !== "" || index === 0))
    .join("/");
}
