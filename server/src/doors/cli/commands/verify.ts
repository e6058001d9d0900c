import { defined } from "@holdfast/sdk/base/defined";
import { systemClock } from "../../../base/clock.ts";
import { jsonLine } from "../../../base/json-line.ts";
import { headText, readDataFolder } from "../../../assembly/data-folder.ts";
import type { VerifiedFolder } from "../../../assembly/data-folder.ts";
import type { CliCommand, CommandArguments, Terminal } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { dataOption, dataFolderOf } from "../discovery/data-option.ts";
import { kindsOption, loadKinds } from "../args/load-kinds.ts";
import { headOption } from "../args/option-values.ts";
import { escapeControlChars } from "../terminal/escape-control-chars.ts";
import { Progress } from "../terminal/progress.ts";
import { withFailureReport } from "../terminal/failure-report.ts";

export const verifyCommand: CliCommand = {
  name: "verify",
  positionalsMax: 0,
  summary: "verify that the journal is complete and that a replay gives the same result",
  details: [
    "Reads the whole journal, including the archive, and verifies the files, the chain of hashes and every payload. Then",
    "it replays the journal. Each entry that this build has rules for is decided again, and the result must be the same",
    "byte for byte. Other entries are only folded. It counts both, and prints the first invalid entry with the expected",
    "and the found value.",
    "",
    "With --deep it also runs the checks of recorded changes again, and their results must be equal. Pass --kinds for the",
    "checks of your own kinds.",
    "",
    "It changes nothing, and a server may run on the folder. A journal without its last entries is valid in itself. To",
    "detect a truncation, store the printed head elsewhere and pass it to the next verify.",
    "",
    "  holdfast verify",
    "  holdfast verify --head 1042:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  ],
  options: {
    data: dataOption,
    head: { value: "POSITION:HASH", summary: "the head of an earlier verify, which must be part of this history" },
    kinds: kindsOption,
    deep: { summary: "run the checks of recorded changes again" },
    json: { summary: "print one JSON object" },
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
      isDeep: args.values["deep"] === true,
      ...defined({ expected }),
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
    rechecked: verified.rechecked,
    hashes_checked: verified.hashesChecked,
    hashes_skipped: verified.hashesSkipped,
    state_hash: verified.stateHash,
    seconds: Math.round(seconds * 1_000) / 1_000,
    entries_per_second: perSecond(verified, seconds),
    file_faults: verified.fileFaults,
    first_bad: firstBad,
  };
}

function verifyText(verified: VerifiedFolder, seconds: number): string {
  const { ok, head, entries, redecided, foldedOnly, erased, rechecked, hashesChecked, hashesSkipped, firstBad } =
    verified;
  const skipped = hashesSkipped === 0 ? "" : `, ${hashesSkipped} not comparable`;
  return [
    ...(ok ? ["Valid."] : errorLines(verified)),
    ...(firstBad === undefined ? [] : ["Before that position:"]),
    `  entries  ${entries}: ${redecided} decided again, ${foldedOnly} folded only, ${erased} erased`,
    ...(rechecked === 0 ? [] : [`  checks   ${rechecked} made again`]),
    `  state    ${hashesChecked} recorded hashes compared${skipped}`,
    `  speed    ${perSecond(verified, seconds)} entries/s`,
    `  head     ${headText(head)}`,
  ].join("\n");
}

function errorLines({ firstBad, fileFaults }: VerifiedFolder): readonly string[] {
  const files = fileFaults.map(({ file, what }) => escapeControlChars(`  ${file}: ${what}`));
  if (firstBad === undefined) return ["NOT valid: the entries are valid, but not the files.", ...files];
  const { position, what, expected, found } = firstBad;
  return [
    `NOT valid: position ${position} is wrong (${what}).`,
    `  expected ${escapeControlChars(expected)}`,
    `  found    ${escapeControlChars(found)}`,
    ...files,
  ];
}

function perSecond({ entries }: VerifiedFolder, seconds: number): number {
  return Math.round(entries / Math.max(seconds, 0.001));
}
