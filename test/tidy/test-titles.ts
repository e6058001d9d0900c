/** Titles of tests: a full sentence that makes sense alone in a log. */
import type { Finding } from "./finding.ts";
import { lineAt, type ProseBlock, proseOf } from "./prose.ts";
import type { ProjectFile } from "./tree.ts";

const titleWordsMin = 4;
const titleWordsMax = 30;

/** Calls whose first argument is a title. A function of a test file that takes a title and a callback counts too. */
const runner = /(?:^|[^.\w])((?:t\.)?test|it|suite|describe|\w+)\(\s*["'`]$/u;
const followedByCallback = /^["'`],\s*(?:\{[^}]*\},\s*)?(?:async\b|\([\w\s,:{}]*\)\s*=>|\w+\s*=>)/u;

/** The subject would be missing, or in the name of the group. */
const fragmentStarts = new Set(
  [
    "is are was were be been has have had does do did may might must can cannot could will would should",
    "that which who whom whose whoever what whatever where how why of by also and or but nor with within in on at to",
    "for from as than then because since so",
  ]
    .join(" ")
    .split(" "),
);

const auxiliaries = new Set(
  "is are was were has have does do can cannot may must will would could should need needs".split(" "),
);

/** Verbs of a plural subject: "two owners wait". */
const pluralVerbs = new Set(
  [
    "accept agree allow answer append apply arrive ask begin block break carry cause change check claim close come compare",
    "complete conflict connect contain continue count cover decide deliver die differ do end exclude exit expire fail find",
    "fold follow free get give go grant hold ignore join keep know leave list lock lose make match meet merge move name",
    "open order overlap pass print produce publish push read rebuild receive recover refuse reject release remain renew",
    "replay report return roll run see send serve share show start stay stop succeed survive take time use wait wake win",
    "work write",
  ]
    .join(" ")
    .split(" "),
);

/** "sees the loss", "renews it": a verb without its subject. A plural subject is never followed by these. */
const verbFirst =
  /^\w+(?<![us])s (a|an|the|its|their|this|each|every|no|nothing|it|them|what|whether|when|up|again|so)\b/u;
const participleFirst = /^\w+ed (with|without|by|at|in|from|to|for|while|before|after|a|an|the)\b/u;

/** The function that takes this string as the title of a test or a group. */
function runnerOf({ kind, start, text }: ProseBlock, file: ProjectFile): string | undefined {
  if (kind !== "string") return undefined;
  const before = file.text.slice(Math.max(0, start - 60), start);
  const call = runner.exec(before)?.[1];
  if (call === undefined) return undefined;
  if (/^(t\.test|test|it|suite|describe)$/u.test(call)) return call;
  const isCallback = followedByCallback.test(file.text.slice(start + text.length, start + text.length + 120));
  return isCallback && text.trim().split(/\s+/u).length >= titleWordsMin ? call : undefined;
}

function hasFiniteVerb(words: readonly string[]): boolean {
  return words
    .slice(1)
    .some((word) => auxiliaries.has(word) || pluralVerbs.has(word) || /^[a-z]{2,}(?<![us])s$/u.test(word));
}

/** The reason why a title is refused. A title that begins with a value is judged by its end alone. */
export function titleFault(title: string): string | undefined {
  const bare = title.replace(/ \[[A-Z]\d+(?:[ ,]+[A-Z]\d+)*\]$/u, "").trim();
  const words = bare.split(/\s+/u).map((word) => word.toLowerCase().replace(/^["'(]+|["'),.;:]+$/gu, ""));
  const first = words[0] ?? "";
  if (/[.,;:]$/u.test(bare)) return `ends with "${bare.slice(-1)}" → no punctuation at the end`;
  if (/\w(n't|'s not)\b/u.test(bare)) return "has a contraction → the full form";
  if (bare.startsWith("_")) return undefined;
  if (fragmentStarts.has(first)) return `begins with "${first}" → begin with the subject`;
  if (verbFirst.test(bare)) return `begins with the verb "${first}" → begin with the subject`;
  if (participleFirst.test(bare)) return `begins with the participle "${first}" → begin with the subject`;
  if (words.length < titleWordsMin) return `has ${words.length} words → subject, verb and condition`;
  if (words.length > titleWordsMax) return `has ${words.length} words → one promise, at most 25 words`;
  return hasFiniteVerb(words) ? undefined : "has no verb in the present tense → subject, verb and condition";
}

/** The name of a group is a topic. It is not the first half of a sentence that its tests complete. */
export function groupFault(name: string): string | undefined {
  const first = (name.split(/\s+/u)[0] ?? "").toLowerCase();
  if (fragmentStarts.has(first)) return `group begins with "${first}" → name the topic`;
  if (/[.,;:]$/u.test(name.trim())) return `group ends with "${name.trim().slice(-1)}" → name the topic`;
  return undefined;
}

export function findTestTitles(files: readonly ProjectFile[]): readonly Finding[] {
  return files
    .filter(({ path }) => path.startsWith("test/") && path.endsWith(".ts"))
    .flatMap((file) =>
      proseOf(file).flatMap((block) => {
        const call = runnerOf(block, file);
        if (call === undefined) return [];
        const fault = call === "describe" || call === "suite" ? groupFault(block.text) : titleFault(block.text);
        if (fault === undefined) return [];
        const title = block.text.replace(/_{2,}/gu, "…").replace(/\s+/gu, " ").slice(0, 70);
        return [{ path: file.path, line: lineAt(file.text, block.start), message: `"${title}" ${fault}` }];
      }),
    );
}
