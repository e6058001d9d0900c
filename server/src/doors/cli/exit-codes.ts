/** The exit codes of the command `holdfast`. Scripts rely on these numbers: a code never changes its meaning. */
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
  jobFailed: 9,
  // These numbers are high because `holdfast lock` returns the exit code of its child, which is usually low.
  denied: 120,
  lost: 121,
  unreachable: 122,
} as const;

/** An exit code of Holdfast itself. */
type OwnExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** An exit code of Holdfast or, for `holdfast lock`, of its child. */
export type ExitCode = number;

export const exitCodeMeanings: readonly (readonly [code: OwnExitCode, meaning: string])[] = [
  [exitCodes.done, "success, or a clean stop"],
  [exitCodes.defect, "a defect in Holdfast; please report the output"],
  [exitCodes.usage, "the command line is invalid"],
  [exitCodes.owned, "another process has the data folder open"],
  [exitCodes.damaged, "the journal is damaged, or is not the expected one; nothing was changed"],
  [exitCodes.unknownHistory, "the data was written by another version, or belongs to another space"],
  [exitCodes.unavailable, "the data folder, or another file, cannot be read or written"],
  [exitCodes.refused, "the request was refused; the output contains the reason"],
  [exitCodes.cannotListen, "the server cannot listen on the address: the port is in use or not permitted"],
  [exitCodes.jobFailed, "the job that was followed failed or was cancelled"],
  [exitCodes.denied, "denied: another owner holds the lock, and --no-wait was given or --wait timed out"],
  [exitCodes.lost, "the lock was lost, or its state is unknown; the command was stopped before the lease ended"],
  [exitCodes.unreachable, "no server runs on the data folder, or none answers at the address"],
];

/** The code of an error decides the exit code, never its class. */
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
  const code = failureCodeOf(error);
  if (Object.hasOwn(codes, code)) return codes[code] ?? exitCodes.defect;
  return isRefusal(error) ? exitCodes.refused : exitCodes.defect;
}

/** A refusal by Holdfast itself, with a code of the contract. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && error.name === "HoldfastError";
}

export function failureCodeOf(error: unknown): string {
  if (!(error instanceof Error)) return "defect";
  if (error.name === "UnknownHistoryError") return "unknown_history";
  return "code" in error && typeof error.code === "string" ? error.code : "defect";
}
