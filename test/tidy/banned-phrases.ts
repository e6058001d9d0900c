/** Phrases that hide the actor, replace a term of art or describe the past, each with the words to write instead. */
import type { Finding } from "./finding.ts";
import { lineAt, type ProseBlock, proseOf } from "./prose.ts";
import { type Exception, without } from "./phrases.ts";
import type { ProjectFile } from "./tree.ts";

export interface BannedPhrase {
  /** A regular expression of whole words. A blank also matches a line break. */
  readonly phrase: string;
  readonly write: string;
  /** A text that the phrase must match. */
  readonly example: string;
  /** Only as the first words of a sentence that is no question. */
  readonly isStart?: true;
  /** The changelog may use it, since the changelog is about the past. */
  readonly isHistory?: true;
  /** The command line may use it: its output, and the tests that quote the output. */
  readonly isTerminal?: true;
}

/** Names the actor. */
const actors: readonly BannedPhrase[] = [
  { phrase: "who(m?)ever", write: "the caller, the client, the waiter", example: "Whoever waits gets it" },
  { phrase: "(some|no|every|any)body", write: "the actor, or: no caller, all clients", example: "nobody reads it" },
  { phrase: "someone|no one|everyone|anyone", write: "the actor, or: no caller, all clients", example: "for no one" },
  {
    phrase: "(those|all|others|one|any|each|none) who",
    write: "the waiters, callers that …",
    example: "those who wait",
  },
  { phrase: "(to|by|of|for|from|with|at|than) who", write: "to the caller that …", example: "sent to who asked" },
  { phrase: "(Who|Whom|Whose)", write: "the actor as subject", example: "Who waits is served", isStart: true },
  { phrase: "What", write: "the noun: The value, The outcome", example: "What it holds.", isStart: true },
  { phrase: "; (who|what|whose)", write: "a sentence with a subject", example: "it ends; what is left stays" },
  { phrase: "whatever", write: "any …, regardless of …", example: "whatever the network does" },
];

/** Uses the term of art. */
const terms: readonly BannedPhrase[] = [
  { phrase: "tell|tells|told|telling", write: "report, send, notify, distinguish", example: "the client is told" },
  { phrase: "mend(s|ed|ing)?", write: "fix", example: "Mend the value" },
  {
    phrase: "(give|gives|gave|given|giving)( \\w+){0,3} back",
    write: "release, return",
    example: "gives the lock back",
  },
  { phrase: "(look|looks|looked|looking) at", write: "read, examine, inspect, check", example: "looks at the head" },
  { phrase: "(go|goes|went|going) on", write: "continue", example: "the log goes on" },
  { phrase: "(come|comes|came|coming) to", write: "reach, become, result in", example: "what it came to" },
  { phrase: "(come|comes|came|coming) back", write: "return, retry, reconnect", example: "when to come back" },
  { phrase: "(stand|stands|stood|standing)", write: "wait, be, remain", example: "stands in line" },
  { phrase: "in line(?! with)", write: "in the queue, queued", example: "a place in line" },
  { phrase: "(leave|leaves|left|leaving) the line", write: "leave the queue", example: "a ticket leaves the line" },
  {
    phrase: "(in|into|out of) (the|its|their|each other's|your|our) way",
    write: "blocking, conflicting",
    example: "is in its way",
  },
  { phrase: "on (the|its|their) way", write: "in flight, in transit, during …", example: "the answer is on its way" },
  { phrase: "under way", write: "in progress, in flight, running", example: "a checkpoint is under way" },
  {
    phrase: "taken for|(take|takes|took|taking) (it|them|this|that|one|nothing) for",
    write: "treat as",
    example: "is taken for a copy",
  },
  { phrase: "(take|takes|took|taken|taking) up", write: "accept, process", example: "a grant is taken up" },
  { phrase: "good for", write: "valid", example: "how long it is good for" },
  { phrase: "for good", write: "permanently", example: "removed for good" },
  { phrase: "as (they|it) should( be)?", write: "ok, correct", example: "types: as they should be" },
  {
    phrase: "(say|says|said|saying) so",
    write: "report it: the error, the field, the log line",
    example: "the answer says so",
  },
  { phrase: "signs? of life", write: "heartbeat", example: "a sign of life" },
  { phrase: "(hear|hears|heard|hearing)", write: "receive, get, learn", example: "nothing was heard" },
  {
    phrase: "(speak|speaks|spoke|spoken|speaking) (as|for|of|to)",
    write: "act as, describe, send to",
    example: "speaks for an owner",
  },
  { phrase: "(let|lets|letting) go", write: "release", example: "lets go of the port" },
  { phrase: "(turn|turns|turned|turning) away", write: "reject", example: "is turned away" },
  { phrase: "wish(es|ed)?", write: "request", example: "each wish has a key" },
  { phrase: "(became|become|becomes) of", write: "the outcome of …", example: "what became of a ticket" },
  { phrase: "(sees?|saw) to", write: "handle, ensure", example: "the timer sees to the rest" },
  {
    phrase: "(can|can't|cannot|could|may|to) be had",
    write: "be obtained, be reproduced",
    example: "it can be had again",
  },
  { phrase: "(?<!there )(is|are|was|were) none(?! of)", write: "is not a valid …", example: "a cursor that is none" },
  {
    phrase:
      "(?<!there )(is|are|was|were) no (?!conflict|later|lock|longer|more|need|one|other|reason|risk|such|way)\\w+",
    write: "is not a …",
    example: "a folder is no file",
  },
  { phrase: "the like", write: "similar …", example: "tokens and the like" },
  { phrase: "chance", write: "randomness, probability", example: "ids come from chance" },
  { phrase: "beside", write: "next to, with, during, concurrently", example: "works beside a server" },
];

/** Says how much, how long and how often. */
const measures: readonly BannedPhrase[] = [
  {
    phrase: "So (long|often|many|much|far|few|late|soon|large|big|old)",
    write: "Maximum …, Interval between …",
    example: "So long a read may take.",
    isStart: true,
  },
  {
    phrase: "(for|after|of|up to|at most|by|within) so (long|many|much|often)(?! that)",
    write: "the number, or the name of the limit",
    example: "ends after so long",
  },
  { phrase: "so long as", write: "while", example: "so long as it runs" },
  { phrase: "(for|after) a while", write: "the duration, or: temporarily, later", example: "waits for a while" },
  { phrase: "for long", write: "for a long time, or the duration", example: "it is held for long" },
  { phrase: "now and then", write: "periodically, sometimes", example: "noted now and then" },
  { phrase: "for ever", write: "forever, indefinitely", example: "it waits for ever" },
  { phrase: "nothing but", write: "only", example: "leaves nothing but its history" },
  { phrase: "(this|that|the) very", write: "this, the same, exactly this", example: "this very id" },
  { phrase: "this once", write: "once", example: "shown this once" },
];

/** Says what is, in plain words. */
const plainWords: readonly BannedPhrase[] = [
  { phrase: "any ?more", write: "the state as it is: has ended, is not", example: "it is not held any more" },
  { phrase: "no more(?=[.,;:)]|$)", write: "the state as it is: has ended, is not", example: "it is held no more." },
  {
    phrase: "no longer",
    write: "the state as it is: has ended, is not",
    example: "it is no longer held",
    isHistory: true,
  },
  {
    phrase: "before this(?=[.,;:)]|$)",
    write: "the state as it is",
    example: "it was slower before this.",
    isHistory: true,
  },
  {
    phrase: "until now|up to now|formerly|in the past|used to (be|have|do)",
    write: "the state as it is",
    example: "it used to be slow",
    isHistory: true,
  },
  { phrase: "Now", write: "the state as it is", example: "Now it is fast.", isStart: true, isHistory: true },
  {
    phrase: "now (uses|returns|takes|refuses|gives|holds|keeps|works)",
    write: "the state as it is",
    example: "the door now refuses it",
    isHistory: true,
  },
  { phrase: "can not", write: "cannot", example: "it can not start" },
  {
    phrase: "\\w+n't|(it|that|there|let)'s|(you|we|they)'(re|ll|ve)",
    write: "the full form: cannot, does not, it is",
    example: "it can't start",
    isTerminal: true,
  },
  { phrase: "anew|afresh", write: "again, from the start", example: "it starts anew" },
  { phrase: "in vain", write: "without success", example: "it was tried in vain" },
  { phrase: "all the same", write: "anyway", example: "it is folded all the same" },
  { phrase: "any longer", write: "the state as it is: has ended, is not", example: "it cannot be used any longer" },
  { phrase: "time is over", write: "has expired", example: "a pin whose time is over" },
  { phrase: "lives? on", write: "continue to run", example: "the process lives on" },
  { phrase: "be it", write: "whether …", example: "be it shorter or longer" },
  { phrase: "and else", write: "otherwise", example: "they start, and else fail" },
];

export const bannedPhrases: readonly BannedPhrase[] = [...actors, ...terms, ...measures, ...plainWords];

const exceptions: readonly Exception[] = [
  { path: "test/tidy/banned-phrases.ts", reason: "it names the forbidden words" },
  { path: "test/tidy/test-titles.ts", reason: "it names the forbidden words" },
  { path: "test/tidy/voice.test.ts", reason: "it plants the forbidden words" },
];

const sentenceStart = String.raw`(?<=^\s*|[.!?]["')]*\s+)`;

interface CompiledPhrase extends BannedPhrase {
  readonly pattern: RegExp;
}

const compiled: readonly CompiledPhrase[] = bannedPhrases.map((banned) => {
  const words = `(?:${banned.phrase.replaceAll(" ", "\\s+")})\\b`;
  const isStart = banned.isStart === true;
  return { ...banned, pattern: isStart ? new RegExp(sentenceStart + words, "gu") : new RegExp(`\\b${words}`, "giu") };
});

/** Output of the command line may be informal, and tests quote it. */
const isAboutTerminal = (path: string, { kind }: ProseBlock): boolean =>
  (kind === "string" && /^(server\/src\/doors\/cli|test)\//u.test(path)) || kind === "code";

function isAllowed(banned: BannedPhrase, path: string, block: ProseBlock): boolean {
  const isHistory = banned.isHistory === true && path === "CHANGELOG.md";
  return isHistory || (banned.isTerminal === true && isAboutTerminal(path, block));
}

/** A mutant quotes the source line that it changes. */
const isQuote = ({ path, text }: ProjectFile, { start }: ProseBlock): boolean =>
  path.startsWith("test/mutants/") && /\b(find|put):\s*["'`]$/u.test(text.slice(Math.max(0, start - 30), start));

/** A single word is a name or a value, not a sentence. */
const isProse = (file: ProjectFile, block: ProseBlock): boolean =>
  block.kind !== "string" || (/\w\s+\w/u.test(block.text) && !isQuote(file, block));

const isQuestion = (text: string, from: number): boolean => /^[^.!?]*\?/u.test(text.slice(from));

function phrasesIn(block: ProseBlock, file: ProjectFile): readonly Finding[] {
  return compiled
    .filter((banned) => !isAllowed(banned, file.path, block))
    .flatMap((banned) =>
      [...block.text.matchAll(banned.pattern)]
        .filter(({ index }) => banned.isStart !== true || !isQuestion(block.text, index))
        .map((match) => ({
          path: file.path,
          line: lineAt(file.text, block.start + match.index),
          message: `"${match[0].replace(/\s+/gu, " ")}" → ${banned.write}`,
        })),
    );
}

export const findBannedPhrases = (files: readonly ProjectFile[]): readonly Finding[] =>
  without(files, exceptions).flatMap((file) =>
    proseOf(file)
      .filter((block) => isProse(file, block))
      .flatMap((block) => phrasesIn(block, file)),
  );
