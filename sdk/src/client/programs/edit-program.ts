import type { ClientClock } from "../client-clock.ts";
import type { CoreClient } from "../core-client.ts";
import type { Run } from "../entities-client.ts";
import { HoldfastError } from "../holdfast-error.ts";
import type { Lock } from "../locks/handle/lock.ts";
import type {
  ProgramConflict,
  ProgramDiagnostic,
  ProgramFunction,
  ProgramMutation,
  ProgramEditStep,
} from "../packs/program-operations.ts";
import { EditLocks } from "./edit-locks.ts";
import type { ProgramEdit } from "./program-edit.ts";

export interface EditedFunction extends ProgramFunction {
  readonly text: string;
}

/** The number of an attempt, and the outcome of the previous one. */
export interface EditAttempt {
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** The changes of other agents since the previous attempt read the texts. Empty without a conflict. */
  readonly conflicts: readonly ProgramConflict[];
  /** The findings about the text of the previous attempt. Empty without a failed check. */
  readonly errors: readonly ProgramDiagnostic[];
  /** Aborts when the lock is lost. */
  readonly signal: AbortSignal;
}

/** Returns the new texts by function id, or the steps of the mutation. */
export type ChangeProgram<Id extends string> = (
  functions: Readonly<Record<Id, EditedFunction>>,
  attempt: EditAttempt,
) => ProgramChange | Promise<ProgramChange>;

export type ProgramChange = Readonly<Record<string, string>> | readonly ProgramEditStep[];

interface EditHost {
  readonly run: Run;
  readonly clock: ClientClock;
  readonly client: Pick<CoreClient, "acquire" | "tryAcquire">;
}

/** Each attempt reads again, decides again and uses a new key: it is a new request on another version. */
export async function editProgram(
  { run, clock, client }: EditHost,
  { programId, tries = 5, repairs = 0, ...edit }: ProgramEdit & { readonly programId: string },
  change: ChangeProgram<string>,
): Promise<ProgramMutation> {
  await using locks = new EditLocks(client, { programId, ...edit });
  const left = { tries, repairs };
  let known: Pick<EditAttempt, "conflicts" | "errors"> = { conflicts: [], errors: [] };
  for (let attempt = 1; ; attempt += 1) {
    const lock = await locks.hold();
    const functions = await readFunctions(run, programId, locks.functions);
    const steps = stepsOf(programId, await change(functions, { attempt, ...known, signal: lock.signal }));
    try {
      return await send({ run, key: clock.unique() }, { programId, steps, functions, lock, purpose: edit.purpose });
    } catch (error) {
      const next = await nextAttempt(error, left, locks);
      if (next === undefined) throw error;
      known = next;
    }
  }
}

/** The outcome for the next attempt; undefined if the error ends the edit. */
async function nextAttempt(
  error: unknown,
  left: { tries: number; repairs: number },
  locks: EditLocks,
): Promise<Pick<EditAttempt, "conflicts" | "errors"> | undefined> {
  if (!(error instanceof HoldfastError)) return undefined;
  const { code, data } = error;
  if (code === "programs.verification_failed" || code === "programs.text_invalid") {
    left.repairs -= 1;
    return left.repairs < 0 ? undefined : { conflicts: [], errors: data["errors"] as readonly ProgramDiagnostic[] };
  }
  const isLock = code === "programs.lock_required" || code === "fence_stale";
  if (!isLock && code !== "programs.hash_conflict") return undefined;
  left.tries -= 1;
  if (left.tries <= 0) return undefined;
  if (isLock) await locks.add((data["missing"] ?? []) as readonly { readonly functionId?: string }[]);
  return { conflicts: (data["conflicts"] ?? []) as readonly ProgramConflict[], errors: [] };
}

async function readFunctions(
  run: Run,
  programId: string,
  ids: readonly string[],
): Promise<Readonly<Record<string, EditedFunction>>> {
  const read = async (functionId: string): Promise<[string, EditedFunction]> => [
    functionId,
    (await run("programs.get-function", { programId, functionId }, {})) as EditedFunction,
  ];
  return Object.fromEntries(await Promise.all(ids.map(read)));
}

function stepsOf(programId: string, change: ProgramChange): readonly ProgramEditStep[] {
  const steps = isSteps(change)
    ? change
    : Object.entries(change).map(([functionId, text]): ProgramEditStep => ({ type: "set_function", functionId, text }));
  if (steps.length === 0)
    throw new TypeError(
      `The function that edits ${programId} returned no change. Return the new texts by function id.`,
    );
  return steps;
}

const isSteps = (change: ProgramChange): change is readonly ProgramEditStep[] => Array.isArray(change);

interface SentMutation {
  readonly programId: string;
  readonly steps: readonly ProgramEditStep[];
  readonly functions: Readonly<Record<string, EditedFunction>>;
  readonly lock: Lock;
  readonly purpose: string | undefined;
}

/** The mutation does not release the locks itself: the handle of the lock would report a loss. */
async function send(
  { run, key }: { readonly run: Run; readonly key: string },
  { programId, steps, functions, lock, purpose }: SentMutation,
): Promise<ProgramMutation> {
  const expectedHashes = Object.fromEntries(Object.entries(functions).map(([id, { hash }]) => [id, hash]));
  const input = { programId, mutations: steps, expectedHashes, description: purpose, fence: lock.fence };
  return (await run("programs.mutate", input, { key })) as ProgramMutation;
}
