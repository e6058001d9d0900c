import { HoldfastError } from "@holdfast/sdk";
import { callRefusal } from "@holdfast/sdk/call-refusal";
import type { CallReply } from "@holdfast/sdk";
import type { DoorCallOptions, DoorTransport } from "@holdfast/sdk/door-transport";
import type { Canonical } from "@holdfast/sdk/json/canonical";
import type { RateLimiter, ConnectionCallers } from "./rate-limiter.ts";
import { redactWriteReply } from "./redact-write-reply.ts";
import type { RightsCheck } from "./rights-check.ts";
import { isAudited } from "./rights-check.ts";
import { isRejection } from "./gate.ts";
import type { Rejection } from "./gate.ts";
import type { Lookups } from "./lookups.ts";
import type { RefusalNotes } from "./refusal-notes.ts";
import { isAllowedEverywhere } from "./caller-rights.ts";
import type { CallerRights } from "./caller-rights.ts";
import { EventVisibility } from "./event-visibility.ts";
import { withVisiblePaths } from "./visible-paths.ts";

interface Guard {
  readonly lookups: Lookups;
  readonly rightsCheck: RightsCheck;
  readonly notes: RefusalNotes;
  readonly limiter: RateLimiter;
  readonly callers: ConnectionCallers;
  /** The commands of kinds, each with its entity type. */
  readonly kindCommands: ReadonlyMap<string, string>;
  /** The current rights of the caller. */
  readonly rights: () => CallerRights | Rejection;
  /** Calls back when the caller would be rejected. Returns the function to unsubscribe. */
  readonly onLost: (callback: () => void) => () => void;
}

type Pages<Item> = AsyncIterableIterator<readonly Item[]>;

/** The transport of an admitted caller. Every call and every page is checked again. */
export function guardedTransport(inner: DoorTransport, guard: Guard): DoorTransport {
  return {
    call: (operation, input, call) => guardedCall(inner, guard, { operation, input, call }),
    watch: (options) =>
      guardedPages(guard, options.owner, {
        open: () => inner.watch(options),
        visible: (visibility, rights, events) => visibility.visible(rights, events),
      }),
    notices: (options) =>
      guardedPages(guard, options.owner, {
        open: () => inner.notices(options),
        visible: (visibility, rights, notices) =>
          notices.filter((notice) => visibility.isNoticeVisible(rights, notice)),
      }),
    async cursor() {
      currentRights(guard, "cursor");
      return inner.cursor();
    },
    // A closing door ends its own watches. A caller cannot stop the engine.
    close: () => Promise.resolve(),
  };
}

interface GuardedCall {
  readonly operation: string;
  readonly input: Canonical;
  readonly call: DoorCallOptions;
}

function guardedCall(inner: DoorTransport, guard: Guard, request: GuardedCall): Promise<CallReply> {
  const { operation, input, call } = request;
  const rights = guard.rights();
  if (isRejection(rights)) return Promise.resolve(refused(guard, rights));
  const refusal = guard.limiter.call(guard.callers.of(call.agent)) ?? guard.rightsCheck.refusalOf(rights, request);
  if (refusal !== undefined) {
    if (isAudited(refusal)) note(guard, rights, request);
    return Promise.resolve(refused(guard, refusal));
  }
  const answer =
    operation === "register-agent" ? registerAgent(inner, guard, request) : inner.call(operation, input, call);
  // Most callers may read everything. For them nothing is redacted, and no further promise is awaited.
  return isAllowedEverywhere(rights, ["read"])
    ? answer
    : answer.then((reply) => redactedReply(guard, rights, request, reply));
}

async function registerAgent(
  inner: DoorTransport,
  guard: Guard,
  { operation, input, call }: GuardedCall,
): Promise<CallReply> {
  const refusal = await guard.limiter.register(guard.callers.own);
  return refusal === undefined ? inner.call(operation, input, call) : refused(guard, refusal);
}

/** The reply without data that the caller may not read. The paths of a ticket are known only after its grant. */
function redactedReply(
  guard: Guard,
  rights: CallerRights,
  { operation, input }: GuardedCall,
  reply: CallReply,
): CallReply {
  const events = new EventVisibility(guard.lookups).visible(rights, reply.events);
  const refusal = operation === "get-ticket" ? guard.rightsCheck.refusalOfGrant(rights, operation, reply) : undefined;
  if (refusal !== undefined) return refused(guard, refusal);
  const { kindCommands } = guard;
  const written = redactWriteReply(rights, { operation, input, reply, kindCommands });
  return { ...withVisiblePaths(rights, operation, written), events };
}

/** The agent is not authenticated yet, so its name must not appear in the audit trail. */
function note({ notes, lookups }: Guard, { principal }: CallerRights, { operation, call }: GuardedCall): void {
  const isOwn = call.agent !== undefined && lookups.principalOf(call.agent) === principal;
  notes.note({ principal, agent: isOwn ? call.agent : undefined, operation, reason: "not_allowed" });
}

function refused({ lookups }: Guard, { code, data }: Rejection): CallReply {
  return callRefusal(code, data, lookups.position());
}

function currentRights(guard: Guard, operation: string): CallerRights {
  const rights = guard.rights();
  if (!isRejection(rights)) return rights;
  throw problem(guard, operation, rights);
}

function problem({ lookups }: Guard, operation: string, { code, data }: Rejection): HoldfastError {
  return new HoldfastError(operation, code, { data, position: lookups.position() });
}

interface GuardedSource<Item> {
  readonly open: () => Pages<Item>;
  readonly visible: (visibility: EventVisibility, rights: CallerRights, items: readonly Item[]) => readonly Item[];
}

/** The pages that the caller may see. They end when its token is revoked or expires, even if no event occurs. */
function guardedPages<Item>(
  guard: Guard,
  owner: string | undefined,
  { open, visible }: GuardedSource<Item>,
): Pages<Item> {
  const visibility = new EventVisibility(guard.lookups);
  const first = guard.rights();
  if (!isRejection(first) && owner !== undefined) visibility.rememberOwner(first, owner);
  const releaseWatch = isRejection(first) ? first : guard.limiter.watch(guard.callers.own);
  // Opened at once, not with the first page: it starts with events after this call.
  const pages = isRejection(releaseWatch) ? undefined : open();
  const unsubscribe = pages === undefined ? undefined : guard.onLost(() => void pages.return?.());
  const end = async (): Promise<{ done: true; value: undefined }> => {
    if (!isRejection(releaseWatch)) releaseWatch();
    unsubscribe?.();
    await pages?.return?.();
    return { done: true, value: undefined };
  };
  return {
    async next() {
      for (;;) {
        try {
          currentRights(guard, "watch");
          if (isRejection(releaseWatch)) throw problem(guard, "watch", releaseWatch);
          const page = (await pages?.next()) ?? (await end());
          const rights = currentRights(guard, "watch");
          if (page.done === true) return await end();
          const items = visible(visibility, rights, page.value);
          if (items.length > 0) return { done: false, value: items };
        } catch (error) {
          await end();
          throw error;
        }
      }
    },
    return: end,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
