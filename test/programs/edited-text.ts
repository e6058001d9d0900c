import type { Random } from "../simulation/random.ts";

/** A text with one random change: another number, a statement more or less, two lines swapped. It may be invalid. */
export function editedText(random: Random, text: string): string {
  const lines = text.split("\n");
  const bodyStart = lines.findIndex((line) => line.endsWith("{"));
  const at = random.between(bodyStart + 1, lines.length - 2);
  const line = lines[at] ?? "";
  switch (random.below(5)) {
    case 0:
      return lines.toSpliced(at, 1).join("\n");
    case 1:
      return lines
        .toSpliced(at, 0, `${" ".repeat(line.length - line.trimStart().length)}1 +% ${random.below(9)};`)
        .join("\n");
    case 2:
      return lines.toSpliced(at, 2, lines[at + 1] ?? "", line).join("\n");
    case 3:
      return lines
        .with(
          at,
          line.replace(/\d+/u, (digits) => String((Number(digits) + 1) % 90)),
        )
        .join("\n");
    default:
      return lines.with(at, `// note ${random.below(100)}\n${line}`).join("\n");
  }
}
