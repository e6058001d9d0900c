/** How the command `holdfast` ends. Scripts rely on these numbers: a meaning never moves to another one. */
export const exitCodes = {
  done: 0,
  defect: 1,
  usage: 2,
  owned: 3,
  damaged: 4,
  unknownHistory: 5,
  unavailable: 6,
  refused: 7,
  canNotListen: 8,
  // High numbers, because `holdfast lock` passes on those of its child, which are mostly low.
  denied: 120,
  lost: 121,
  unreachable: 122,
} as const;

/** How Holdfast itself ends … */
export type OwnExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** … or, for `holdfast lock`, how its child did. */
export type ExitCode = number;

export const exitCodeMeanings: readonly (readonly [code: OwnExitCode, meaning: string])[] = [
  [exitCodes.done, "done, or stopped cleanly"],
  [exitCodes.defect, "a defect in Holdfast; please report what it printed"],
  [exitCodes.usage, "the command line was not understood"],
  [exitCodes.owned, "another process has the data folder open"],
  [exitCodes.damaged, "the journal is damaged, or is not the one that was expected; nothing was changed"],
  [exitCodes.unknownHistory, "the data was written by another version, or is another space"],
  [exitCodes.unavailable, "the data folder, or another file, can not be read or written"],
  [exitCodes.refused, "what was asked for was refused, for the reason that was printed"],
  [exitCodes.canNotListen, "the address can not be listened on: the port is taken, or not allowed"],
  [exitCodes.denied, "denied: somebody else holds the lock, and waiting was not wanted or took too long"],
  [exitCodes.lost, "the lock was lost, or nobody knows whether it is held; the command was stopped before that"],
  [exitCodes.unreachable, "no server answers at the address"],
];

/** The number for what kept a command from being done. Operating errors are told by their code, never by their class. */
export function exitCodeOf(error: unknown): ExitCode {
  switch (codeOf(error)) {
    case "owned":
      return exitCodes.owned;
    case "damaged":
      return exitCodes.damaged;
    case "unsupported":
    case "unknown_history":
      return exitCodes.unknownHistory;
    case "can_not_listen":
      return exitCodes.canNotListen;
    case "lock_denied":
      return exitCodes.denied;
    case "unreachable":
      return exitCodes.unreachable;
    case "io":
    case "full":
    case "busy":
    case "read_only":
      return exitCodes.unavailable;
    case "invalid":
    case "archived":
      return exitCodes.refused;
    default:
      return isRefusal(error) ? exitCodes.refused : exitCodes.defect;
  }
}

/** A refusal by Holdfast itself; its code is one of the contract's. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && error.name === "HoldfastError";
}

export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "defect";
  if (error.name === "UnknownHistoryError") return "unknown_history";
  return "code" in error && typeof error.code === "string" ? error.code : "defect";
}
