/** Separates the id of a command from the name of the attempt that sent it. */
export const attemptSeparator = "~";

/** The attempt of an entry, or undefined if Holdfast itself sent the command. */
export function attemptOf({ id, agent }: { readonly id: string; readonly agent?: string }): string | undefined {
  const at = id.indexOf(attemptSeparator);
  return at < 0 ? agent : id.slice(at + 1);
}
