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
  readonly rights: RightsCheck;
  readonly notes: RefusalNotes;
  readonly allotment: RateLimiter;
  readonly askers: ConnectionCallers;
  /** The commands of kinds, each with its entity type. */
  readonly kindCommands: ReadonlyMap<string, string>;
  /** The current rights of the caller. */
  readonly standing: () => CallerRights | Rejection;
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
        visible: (sight, standing, events) => sight.visible(standing, events),
      }),
    notices: (options) =>
      guardedPages(guard, options.owner, {
        open: () => inner.notices(options),
        visible: (sight, standing, notices) => notices.filter((notice) => sight.isNoticeVisible(standing, notice)),
      }),
    async cursor() {
      standingNow(guard, "cursor");
      return inner.cursor();
    },
    // A closing door ends what it opened. A caller cannot stop what is behind the gate.
    close: () => Promise.resolve(),
  };
}

interface GuardedCall {
  readonly operation: string;
  readonly input: Canonical;
  readonly call: DoorCallOptions;
}

function guardedCall(inner: DoorTransport, guard: Guard, wish: GuardedCall): Promise<CallReply> {
  const { operation, input, call } = wish;
  const standing = guard.standing();
  if (isRejection(standing)) return Promise.resolve(refused(guard, standing));
  const turned = guard.allotment.call(guard.askers.of(call.agent)) ?? guard.rights.refusalOf(standing, wish);
  if (turned !== undefined) {
    if (isAudited(turned)) note(guard, standing, wish);
    return Promise.resolve(refused(guard, turned));
  }
  const answer = operation === "register-agent" ? registered(inner, guard, wish) : inner.call(operation, input, call);
  // Most callers may read what they touch. Then nothing is redacted, and nothing awaited.
  return isAllowedEverywhere(standing, ["read"]) ? answer : answer.then((reply) => shown(guard, standing, wish, reply));
}

async function registered(
  inner: DoorTransport,
  guard: Guard,
  { operation, input, call }: GuardedCall,
): Promise<CallReply> {
  const turned = await guard.allotment.register(guard.askers.own);
  return turned === undefined ? inner.call(operation, input, call) : refused(guard, turned);
}

/** The reply without what the caller may not read. The paths of a ticket are known only after its grant. */
function shown(guard: Guard, standing: CallerRights, { operation, input }: GuardedCall, reply: CallReply): CallReply {
  const events = new EventVisibility(guard.lookups).visible(standing, reply.events);
  const turned = operation === "get-ticket" ? guard.rights.refusalOfGrant(standing, operation, reply) : undefined;
  if (turned !== undefined) return refused(guard, turned);
  const { kindCommands } = guard;
  const written = redactWriteReply(standing, { operation, input, reply, kindCommands });
  return { ...withVisiblePaths(standing, operation, written), events };
}

/** The agent is not authenticated yet, so its name must not appear in the audit trail. */
function note({ notes, lookups }: Guard, { principal }: CallerRights, { operation, call }: GuardedCall): void {
  const isOwn = call.agent !== undefined && lookups.principalOf(call.agent) === principal;
  const agent = isOwn ? { agent: call.agent } : {};
  notes.note({ principal, ...agent, operation, reason: "not_allowed" });
}

function refused({ lookups }: Guard, { code, data }: Rejection): CallReply {
  return callRefusal(code, data, lookups.position());
}

function standingNow(guard: Guard, operation: string): CallerRights {
  const standing = guard.standing();
  if (!isRejection(standing)) return standing;
  throw problem(guard, operation, standing);
}

function problem({ lookups }: Guard, operation: string, { code, data }: Rejection): HoldfastError {
  return new HoldfastError(operation, code, { data, position: lookups.position() });
}

interface Sighted<Item> {
  readonly open: () => Pages<Item>;
  readonly visible: (sight: EventVisibility, standing: CallerRights, items: readonly Item[]) => readonly Item[];
}

/** The pages that the caller may see. They end when its token is revoked or expires, even while nothing happens. */
function guardedPages<Item>(guard: Guard, owner: string | undefined, { open, visible }: Sighted<Item>): Pages<Item> {
  const sight = new EventVisibility(guard.lookups);
  const first = guard.standing();
  if (!isRejection(first) && owner !== undefined) sight.expect(first, owner);
  const counted = isRejection(first) ? first : guard.allotment.watch(guard.askers.own);
  // Opened at once, not with the first page: it starts with events after this call.
  const pages = isRejection(counted) ? undefined : open();
  const listenNoMore = pages === undefined ? undefined : guard.onLost(() => void pages.return?.());
  const end = async (): Promise<{ done: true; value: undefined }> => {
    if (!isRejection(counted)) counted();
    listenNoMore?.();
    await pages?.return?.();
    return { done: true, value: undefined };
  };
  return {
    async next() {
      for (;;) {
        try {
          standingNow(guard, "watch");
          if (isRejection(counted)) throw problem(guard, "watch", counted);
          const page = (await pages?.next()) ?? (await end());
          const standing = standingNow(guard, "watch");
          if (page.done === true) return await end();
          const items = visible(sight, standing, page.value);
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
