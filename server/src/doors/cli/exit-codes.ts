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
  cannotListen: 8,
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
  [exitCodes.cannotListen, "the address can not be listened on: the port is taken, or not allowed"],
  [exitCodes.denied, "denied: somebody else holds the lock, and waiting was not wanted or took too long"],
  [exitCodes.lost, "the lock was lost, or nobody knows whether it is held; the command was stopped before that"],
  [exitCodes.unreachable, "no server answers at the address"],
];

/** What kept a command from being done is told by its code, never by its class. */
const codes: Readonly<Record<string, OwnExitCode>> = {
  owned: exitCodes.owned,
  damaged: exitCodes.damaged,
  unsupported: exitCodes.unknownHistory,
  unknown_history: exitCodes.unknownHistory,
  io: exitCodes.unavailable,
  full: exitCodes.unavailable,
  busy: exitCodes.unavailable,
  read_only: exitCodes.unavailable,
  invalid: exitCodes.refused,
  archived: exitCodes.refused,
  cannot_start: exitCodes.refused,
  cannot_listen: exitCodes.cannotListen,
  lock_denied: exitCodes.denied,
  lock_lost: exitCodes.lost,
  unreachable: exitCodes.unreachable,
};

export function exitCodeOf(error: unknown): OwnExitCode {
  const code = codeOf(error);
  if (Object.hasOwn(codes, code)) return codes[code] ?? exitCodes.defect;
  return isRefusal(error) ? exitCodes.refused : exitCodes.defect;
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
