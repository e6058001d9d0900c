import { HoldfastError } from "@holdfast/sdk/holdfast-error";
import type { TextChange } from "./text-change.ts";

interface CliFinding {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly line: number;
  readonly column: number;
  readonly step?: number;
  readonly file?: string;
}

/** Findings about a text that cannot be read get the line of the file. Other findings have that of the canonical layout. */
export function placedFindings<Finding extends CliFinding>(
  findings: readonly Finding[],
  { file, items }: Pick<TextChange, "file" | "items">,
): readonly Finding[] {
  return findings.map((finding) => {
    const item = finding.step === undefined ? undefined : items[finding.step];
    return item === undefined ? finding : { ...finding, file, line: item.line + finding.line - 1 };
  });
}

/** The same for the findings of a refusal. */
export async function withPlacedFindings<Reply>(change: TextChange, work: () => Promise<Reply>): Promise<Reply> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof HoldfastError) || !Array.isArray(error.data["errors"])) throw error;
    const { code, data, position, replayed } = error;
    const errors = placedFindings(data["errors"] as readonly CliFinding[], change);
    throw new HoldfastError("programs.mutate", code, { data: { ...data, errors }, position, replayed });
  }
}
