/** The processes of `npm test`: the checks of package.json, and the test files in groups. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface TestTask {
  /** The part whose budget it uses. */
  readonly part: string;
  readonly name: string;
  /** Arguments for Node. */
  readonly args: readonly string[];
  readonly isCheck: boolean;
}

const root = join(import.meta.dirname, "..");
const tool = (file: string): string => join(import.meta.dirname, file);

/**
 * All files of a folder run in one process, one after the other: most of a small file's time is the start of its process.
 * Folders that start processes themselves, and so mostly wait, are split into several groups that run concurrently.
 */
const groupCounts: Readonly<Record<string, number>> = { scenario: 6, client: 2 };

/** Long enough to fill a process of their own; or, for garbage collection, in need of one without optimised code. */
const alone = new Set([
  "test/client/idle-owners.test.ts",
  "test/client/processes.test.ts",
  "test/nodes/fault-cycles.test.ts",
  "test/nodes/processes.test.ts",
  "test/scenario/cli-upkeep.test.ts",
  "test/scenario/kill.test.ts",
  "test/scenario/package.test.ts",
  "test/scenario/side-by-side.test.ts",
]);

/** Every command of the scripts `types` and `lint`, in a process of its own. */
function checkTasks(): readonly TestTask[] {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const commands = ["types", "lint"].flatMap((name) => scripts[name]?.split(" && ") ?? []);
  return commands.map((command) => {
    const [program = "", ...rest] = command.split(" ");
    const args = ["--import", tool("process-usage.ts"), join(root, "node_modules", ".bin", program), ...rest];
    return { part: "checks", name: command, args, isCheck: true };
  });
}

const testing = [
  "--test",
  "--test-isolation=none",
  ...["--test-reporter=spec", "--test-reporter-destination=stdout"],
  // It writes nothing there; it reports on its own descriptor.
  ...[`--test-reporter=${tool("test-tally.ts")}`, "--test-reporter-destination=stderr"],
];

function testTasks(): readonly TestTask[] {
  const files = globSync("test/**/*.test.ts", { cwd: root }).sort();
  const groups = Map.groupBy(files, (file) => {
    const part = partOf(file);
    if (alone.has(file)) return file;
    const index = files.filter((other) => partOf(other) === part && !alone.has(other)).indexOf(file);
    return `${part} ${index % (groupCounts[part] ?? 1)}`;
  });
  return [...groups.values()].map((group) => {
    const part = partOf(group[0] ?? "");
    const name = group.length === 1 ? (group[0] ?? "") : `test/${part}, ${group.length} files`;
    return { part, name, args: [...testing, ...group], isCheck: false };
  });
}

const partOf = (file: string): string => file.split("/")[1] ?? "";

/** The longest first, so that none of them is left for the end. */
export function planTests(allowances: Readonly<Record<string, number>>): readonly TestTask[] {
  const tasks = [...checkTasks(), ...testTasks()];
  const countOf = (part: string): number => tasks.filter((task) => task.part === part).length;
  const weight = ({ part, args, isCheck }: TestTask): number =>
    isCheck || args.some((word) => alone.has(word)) ? Infinity : (allowances[part] ?? 0) / countOf(part);
  return tasks.toSorted((a, b) => weight(b) - weight(a));
}
