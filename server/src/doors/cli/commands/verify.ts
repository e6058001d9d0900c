import { systemClock } from "../../../base/clock.ts";
import { jsonLine } from "../../../base/json-line.ts";
import { headText, readDataFolder } from "../../../assembly/data-folder.ts";
import type { VerifiedFolder } from "../../../assembly/data-folder.ts";
import type { Command, CommandArguments, Terminal } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { dataOption, dataFolderOf } from "../discovery/data-option.ts";
import { kindsOption, loadKinds } from "../args/load-kinds.ts";
import { headOption } from "../args/option-values.ts";
import { Progress } from "../terminal/progress.ts";
import { withFailureReport } from "../terminal/failure-report.ts";

export const verifyCommand: Command = {
  name: "verify",
  positionalsMax: 0,
  summary: "prove that the journal is whole and comes out the same when it is executed again",
  details: [
    "Reads the whole journal, archive included, and proves it: the files, the chain of hashes, every payload. Then it",
    "executes it again: each entry that this build has the rules for is decided anew on the state that the entries before",
    "it lead to, and must come out the same byte for byte; the rest is folded only. Both are counted. The first entry that",
    "is wrong is named, with what was expected and what was found.",
    "",
    "It changes nothing and works beside a running `holdfast up`. A journal whose end was cut off is whole in itself: note",
    "down the head that verify prints, elsewhere, and give it the next time.",
    "",
    "  holdfast verify",
    "  holdfast verify --head 1042:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  ],
  options: {
    data: dataOption,
    head: { value: "POSITION:HASH", summary: "a head that was noted down before; it must be in this history" },
    kinds: kindsOption,
    json: { summary: "print one object of JSON" },
  },
  run: (args, terminal) => withFailureReport(args, terminal, () => runVerify(args, terminal)),
};

async function runVerify(args: CommandArguments, terminal: Terminal): Promise<ExitCode> {
  const expected = headOption(args.values);
  const kinds = await loadKinds(args, terminal);
  const folder = readDataFolder(dataFolderOf(args, terminal));
  const progress = new Progress(terminal, systemClock);
  try {
    const verified = await folder.verify({
      kinds,
      ...(expected === undefined ? {} : { expected }),
      onProgress: (position, head) => {
        progress.show("verified", position, head);
      },
    });
    progress.end();
    const { seconds } = progress;
    terminal.print(
      args.values["json"] === true ? jsonLine(verifyJson(verified, seconds)) : verifyText(verified, seconds),
    );
    return verified.ok ? exitCodes.done : exitCodes.damaged;
  } finally {
    folder.close();
  }
}

function verifyJson(verified: VerifiedFolder, seconds: number): Readonly<Record<string, unknown>> {
  const { ok, head, entries, redecided, firstBad } = verified;
  return {
    ok,
    head: headText(head),
    position: head.position,
    entries,
    redecided,
    folded_only: verified.foldedOnly,
    erased: verified.erased,
    hashes_checked: verified.hashesChecked,
    hashes_skipped: verified.hashesSkipped,
    state_hash: verified.stateHash,
    seconds: Math.round(seconds * 1_000) / 1_000,
    entries_per_second: perSecond(verified, seconds),
    file_faults: verified.fileFaults,
    ...(firstBad === undefined ? {} : { first_bad: firstBad }),
  };
}

function verifyText(verified: VerifiedFolder, seconds: number): string {
  const { ok, head, entries, redecided, foldedOnly, erased, hashesChecked, hashesSkipped, firstBad } = verified;
  const skipped = hashesSkipped === 0 ? "" : `, ${hashesSkipped} not comparable any more`;
  return [
    ...(ok ? ["Sound."] : errorLines(verified)),
    ...(firstBad === undefined ? [] : ["Up to there:"]),
    `  entries  ${entries}: ${redecided} decided again, ${foldedOnly} folded only, ${erased} erased`,
    `  state    ${hashesChecked} recorded hashes compared${skipped}`,
    `  speed    ${perSecond(verified, seconds)} entries/s`,
    `  head     ${headText(head)}`,
  ].join("\n");
}

function errorLines({ firstBad, fileFaults }: VerifiedFolder): readonly string[] {
  const files = fileFaults.map(({ file, what }) => `  ${file}: ${what}`);
  if (firstBad === undefined) return ["NOT sound: the entries are, but not the files.", ...files];
  const { position, what, expected, found } = firstBad;
  return [
    `NOT sound: position ${position} is wrong (${what}).`,
    `  expected ${expected}`,
    `  found    ${found}`,
    ...files,
  ];
}

function perSecond({ entries }: VerifiedFolder, seconds: number): number {
  return Math.round(entries / Math.max(seconds, 0.001));
}
