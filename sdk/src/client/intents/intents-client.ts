import type { IntentStatus } from "../../contract/packs/intents/intent-statuses.ts";
import type { CoreClient } from "../core-client.ts";
import type { ClientClock } from "../client-clock.ts";
import type { Page, Run } from "../entities-client.ts";
import type { ChangedIntent, Intent, IntentOperations } from "../packs/intent-operations.ts";
import type { DeletedResource } from "../packs/resource-client.ts";
import type { CallOptions } from "../transport/transport.ts";
import type { Bridge } from "./bridge.ts";
import { bridgeSet } from "./bridge-set.ts";
import type { BridgeSet, BridgeSetOptions } from "./bridge-set.ts";
import { OwnerPool } from "./owner-pool.ts";
import { reevaluate } from "./reevaluate.ts";
import type { Correction, Reevaluated, ReevaluateOptions } from "./reevaluate.ts";
import { holdIntents, sendIntent, sendOrWait } from "./hold-intents.ts";
import type { HoldOptions, WaitOptions } from "./hold-intents.ts";

type Changes = Readonly<Record<string, unknown>>;
type Of<Name extends keyof IntentOperations> = IntentOperations[Name];

/** The conditions of a change of an intent, and whether it waits for a lock of another owner. */
export interface IntentWriteOptions extends WaitOptions {
  readonly expectedVersion?: number;
  readonly expectedRevision?: string;
  readonly fence?: string;
}

/** An intent as it was read under its lock. Its writes present the fence of the lock. */
export interface LockedIntent {
  readonly intent: Intent;
  readonly fence: string;
  readonly signal: AbortSignal;
  update(changes: Changes): Promise<ChangedIntent>;
  transition(to: IntentStatus): Promise<ChangedIntent>;
  reevaluate(correction: Correction): Promise<Reevaluated>;
}

/** The pack `intents`. Its refusals have the classes of `@holdfast/sdk/intent-errors`. */
export interface IntentsClient {
  create(input: Of<"create">["input"], options?: CallOptions): Promise<ChangedIntent>;
  get(id: string, query?: Omit<Of<"get">["input"], "id">): Promise<Intent>;
  list(query?: Of<"list">["input"]): Promise<Of<"list">["output"]>;
  listCorrections(
    id: string,
    query?: Omit<Of<"list-corrections">["input"], "id">,
  ): Promise<Page<Of<"list-corrections">["output"]["items"][number], number>>;
  /** Changes the payload by a merge patch. */
  update(id: string, changes: Changes, options?: IntentWriteOptions): Promise<ChangedIntent>;
  /** Changes several intents in one entry, all or nothing. */
  updateMany(
    ids: readonly string[],
    change: { readonly changes?: Changes; readonly to?: IntentStatus },
    options?: WaitOptions & { readonly fence?: string },
  ): Promise<Of<"update-many">["output"]>;
  transition(id: string, to: IntentStatus, options?: IntentWriteOptions): Promise<ChangedIntent>;
  /** Applies a correction once. With `expectedVersion` or a function as `diff` it retries, then takes the lock. */
  reevaluate(id: string, correction: Correction, options?: ReevaluateOptions): Promise<Reevaluated>;
  delete(id: string, options?: IntentWriteOptions): Promise<DeletedResource>;
  /** Asks the owner of a run to stop. A run without an owner ends at once. */
  stop(id: string, reason: string, options?: CallOptions): Promise<Of<"stop">["output"]>;
  listStrategies(): Promise<Of<"list-strategies">["output"]>;
  /** For operators. */
  configure(settings: Of<"configure">["input"]["settings"]): Promise<Of<"configure">["output"]>;
  /** Runs work under the lock of an intent. Without `waitMs` it does not wait. */
  withLock<Result>(id: string, options: HoldOptions, work: (locked: LockedIntent) => Promise<Result>): Promise<Result>;
  /** A pipeline of bridges that runs in this program and survives its end. */
  bridges(bridges: readonly Bridge[], options: BridgeSetOptions): Promise<BridgeSet>;
}

interface IntentsHost {
  readonly run: Run;
  readonly clock: ClientClock;
  readonly client: CoreClient;
}

export function intentsClient({ run, clock, client }: IntentsHost): IntentsClient {
  const owners = new OwnerPool(() => client.agent(), clock);
  const calls = { run, clock, owners };
  const ask = <Output>(operation: string, input: object, call?: CallOptions): Promise<Output> =>
    sendIntent(run, `intents.${operation}`, input, call) as Promise<Output>;
  const write = <Output>(
    operation: string,
    input: object,
    ids: readonly string[],
    options: IntentWriteOptions = {},
  ): Promise<Output> => {
    const { expectedVersion, expectedRevision, fence, ...wait } = options;
    const conditions = { expectedVersion, expectedRevision, fence };
    const sent = { operation: `intents.${operation}`, ids, input: { ...input, ...conditions } };
    return sendOrWait(calls, sent, wait) as Promise<Output>;
  };
  return {
    create: (input, options) => ask("create", input, options),
    get: (id, query = {}) => ask("get", { id, ...query }),
    list: (query = {}) => ask("list", query),
    listCorrections: (id, query = {}) => ask("list-corrections", { id, ...query }),
    update: (id, changes, options) => write("update", { id, changes }, [id], options),
    updateMany: (ids, change, options) => write("update-many", { ids, ...change }, [...new Set(ids)], options),
    transition: (id, to, options) => write("transition", { id, to }, [id], options),
    reevaluate: (id, correction, options) => reevaluate(calls, id, correction, options),
    delete: (id, options) => write("delete", { id }, [id], options),
    stop: (id, reason, options) => ask("stop", { id, reason }, options),
    listStrategies: () => ask("list-strategies", {}),
    configure: (settings) => ask("configure", { settings }),
    withLock: (id, options, work) =>
      holdIntents(calls, [id], options, async ({ fence, signal }) => {
        const intent = await ask<Intent>("get", { id });
        return work({
          intent,
          fence,
          signal,
          update: (changes) => ask("update", { id, changes, fence }),
          transition: (to) => ask("transition", { id, to, fence }),
          reevaluate: (correction) => reevaluate(calls, id, correction, { fence }),
        });
      }),
    bridges: (bridges, options) => Promise.resolve(bridgeSet({ ...calls, client }, bridges, options)),
  };
}
