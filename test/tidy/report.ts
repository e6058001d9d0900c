/**
 * Prints what the checks of voice and names find: `node test/tidy/report.ts [PREFIX] [CHECK]`. Without a prefix it prints
 * the counts of every folder, with one it prints each finding below it.
 */
import { checkedFiles, type CheckName, checkNames, checks } from "./checks.ts";
import { type Finding, findingLine } from "./finding.ts";
import { filesUnder, lineCount } from "./tree.ts";

const [prefix = "", only] = process.argv.slice(2);
const isChosen = (check: CheckName): boolean => only === undefined || only === check;

const found = new Map(
  checkNames.map((check) => [check, checks[check](checkedFiles).filter(({ path }) => path.startsWith(prefix))]),
);
const findingsOf = (check: CheckName): readonly Finding[] => found.get(check) ?? [];

/** Deep enough to show the parts of the server apart. */
const folderOf = (path: string): string => {
  const depth = /^(sdk|server)\//u.test(path) ? 3 : 2;
  const folders = path.split("/").slice(0, -1).slice(0, depth);
  return folders.length === 0 ? path : `${folders.join("/")}/`;
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
const cell = (value: number | string): string => String(value).padStart(10);
const row = (name: string, values: readonly (number | string)[]): string => name.padEnd(28) + values.map(cell).join("");

if (prefix !== "") {
  for (const check of checkNames.filter(isChosen)) for (const each of findingsOf(check)) console.log(findingLine(each));
  console.log("");
}

const folders = [...new Set(checkNames.flatMap((check) => findingsOf(check).map(({ path }) => folderOf(path))))].sort();
const countIn = (check: CheckName, folder: string): number =>
  findingsOf(check).filter(({ path }) => folderOf(path) === folder).length;

console.log(row("", checkNames));
for (const folder of folders) {
  console.log(
    row(
      folder,
      checkNames.map((check) => countIn(check, folder)),
    ),
  );
}
console.log(
  row(
    "total",
    checkNames.map((check) => findingsOf(check).length),
  ),
);

const linesIn = (...names: readonly string[]): number =>
  sum(names.flatMap((name) => filesUnder(name, ".ts").map(lineCount)));
console.log(`\nlines: ${linesIn("sdk/src", "server/src")} source, ${linesIn("test")} test`);
