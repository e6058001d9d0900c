import { escapeControlChars } from "./escape-control-chars.ts";

type FindingData = Readonly<Record<string, unknown>>;

/** The findings about a program, one line each: `work.txt:3:11: error type.mismatch: …`. */
export function findingLines(findings: unknown): readonly string[] {
  if (!Array.isArray(findings)) return [];
  return (findings as readonly FindingData[]).filter((finding) => typeof finding["code"] === "string").map(findingLine);
}

function findingLine(finding: FindingData): string {
  const { file, name, function_id: id, line, column, severity, code, message } = finding;
  const known = name === undefined ? textOf(id) : `${textOf(name)} (${textOf(id)})`;
  const place = file === undefined ? known : textOf(file);
  const head = `  ${place}:${textOf(line)}:${textOf(column)}: ${textOf(severity)} ${textOf(code)}: ${textOf(message)}`;
  return escapeControlChars([head, ...details(finding)].join(""));
}

/** The counter-example, if there is one. The message has the condition and the nearest word. */
function details({ inputs, result, because }: FindingData): readonly string[] {
  return [
    inputs === undefined ? "" : `; the inputs are ${JSON.stringify(inputs)}`,
    result === undefined ? "" : `, the result is ${JSON.stringify(result)}`,
    because === undefined ? "" : `; because of ${textOf(because)}`,
  ];
}

const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "program";

/** The changes by other agents that caused a hash conflict, as unified differences. */
export function conflictLines(conflicts: unknown): readonly string[] {
  if (!Array.isArray(conflicts)) return [];
  const ofHashes = (conflicts as readonly FindingData[]).filter((conflict) => "expected_hash" in conflict);
  return ofHashes.flatMap((conflict) => {
    const {
      function_id: functionId,
      type_id: typeId,
      text_diff: diff,
      changes_reason: reason,
      changed_at: at,
    } = conflict;
    const id = textOf(functionId ?? typeId);
    const shown = typeof diff === "string" ? diff.trimEnd().split("\n") : [textOf(reason ?? "no difference is known")];
    const when = at === undefined ? "" : `, changed at ${textOf(at)}`;
    return [`  ${id}${when}:`, ...shown.map((line) => `    ${line}`)].map(escapeControlChars);
  });
}
