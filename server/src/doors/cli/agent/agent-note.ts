/**
 * The agent of a name in a project. `holdfast take` registers it and returns, so the next command must find it again. Its
 * note has the id and the secret, and is readable by this user alone.
 */
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { dirname, join } from "node:path";
import type { FoundServer } from "@holdfast/sdk/found-server";
import { textOption } from "../args/option-values.ts";
import { UsageError } from "../args/usage-error.ts";
import type { CommandArguments, CommandOption, Terminal } from "../command.ts";
import { ignoreInGit } from "../up/new-folder.ts";

/** The option of each command that acts as a named agent. */
export const nameOption: CommandOption = {
  value: "NAME",
  summary: "the agent that acts (default: $HOLDFAST_NAME, else user@host)",
};

/** The name of an agent in a project, and the place of its note. */
interface NamedAgent {
  readonly name: string;
  readonly file: string;
  /** The key by which the same user resumes the agent of the same name in the same project. */
  readonly ownKey: () => string;
}

interface AgentNote {
  readonly agent_id: string;
  readonly secret: string;
  readonly name: string;
}

export function namedAgentOf({ values }: CommandArguments, terminal: Terminal, { folder }: FoundServer): NamedAgent {
  const { HOLDFAST_NAME: ofEnvironment = "" } = terminal.env;
  const name = textOption(values, "name") ?? (ofEnvironment === "" ? defaultName() : ofEnvironment);
  if (name.length > nameLengthMax || /[\u0000-\u001f\u007f]/u.test(name)) {
    throw new UsageError(`--name must be a line of at most ${nameLengthMax} characters`);
  }
  const project = projectOf(terminal.folder);
  const data = folder ?? join(project, ".holdfast");
  const ownKey = (): string => `cli-${digest([userName(), project, name])}`;
  // Two worktrees of one project share the data folder, and each has agents of its own.
  const suffix = project === dirname(data) ? "" : `-${digest([project]).slice(0, 8)}`;
  return { name, ownKey, file: join(data, "agents", `${encodeURIComponent(name)}${suffix}`) };
}

/** Maximum characters of a name. Its note is a file with that name. */
const nameLengthMax = 64;

/** `user@host` */
export function defaultName(): string {
  return `${userName()}@${hostname()}`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "unknown";
  }
}

/** Loaded on demand: most commands need no digest, and the module takes longer to load than the rest of the command. */
function digest(parts: readonly string[]): string {
  const { hash } = process.getBuiltinModule("node:crypto");
  return hash("sha256", JSON.stringify(parts)).slice(0, 32);
}

/** The folder of the project: the nearest one with a data folder or a checkout, else the working directory. */
function projectOf(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".holdfast")) || existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return start;
  }
}

/** The note of an agent. Undefined if there is none that this user alone could write. */
export function readAgentNote({ file }: Pick<NamedAgent, "file">): AgentNote | undefined {
  try {
    const status = lstatSync(file);
    const isOwn = status.isFile() && status.uid === (process.getuid?.() ?? status.uid) && (status.mode & 0o077) === 0;
    if (!isOwn) return undefined;
    const note = JSON.parse(readFileSync(file, "utf8")) as Partial<AgentNote>;
    const { agent_id: id, secret, name } = note;
    return typeof id === "string" && typeof secret === "string" && typeof name === "string"
      ? { agent_id: id, secret, name }
      : undefined;
  } catch {
    return undefined;
  }
}

export function writeAgentNote({ file }: NamedAgent, note: AgentNote): void {
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  ignoreInGit(dirname(folder));
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(note)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

export function removeAgentNote({ file }: NamedAgent): void {
  rmSync(file, { force: true });
}
