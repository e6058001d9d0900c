import { HoldfastError } from "@holdfast/sdk";
import { callRefusal } from "@holdfast/sdk/call-refusal";
import type { CallReply } from "@holdfast/sdk";
import type { DoorCallOptions, DoorTransport } from "@holdfast/sdk/door-transport";
import type { Canonical } from "@holdfast/sdk/json/canonical";
import type { Allotment, Askers } from "./allotment.ts";
import { shownWrite } from "./blind-writes.ts";
import type { RightsCheck } from "./check-rights.ts";
import { isAudited } from "./check-rights.ts";
import { isTurned } from "./gate.ts";
import type { Turned } from "./gate.ts";
import type { Lookups } from "./lookups.ts";
import type { RefusalNotes } from "./refusal-notes.ts";
import { isAllowedEverywhere } from "./standing.ts";
import type { Standing } from "./standing.ts";
import { EventSight } from "./visible-events.ts";
import { withVisiblePaths } from "./visible-paths.ts";

export interface Guard {
  readonly lookups: Lookups;
  readonly rights: RightsCheck;
  readonly notes: RefusalNotes;
  readonly allotment: Allotment;
  readonly askers: Askers;
  /** The commands that kinds of entities bring, each with its type of entity. */
  readonly kindCommands: ReadonlyMap<string, string>;
  /** How the caller stands now. */
  readonly standing: () => Standing | Turned;
  /** Calls back once it would not be let in any more. Returns the way to stop. */
  readonly onLost: (callback: () => void) => () => void;
}

type Pages<Item> = AsyncIterableIterator<readonly Item[]>;

/** The transport of somebody who was let in: everything is checked anew with every call and every page. */
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
    // A door that closes ends what it has opened itself. What is behind the gate is not for callers to stop.
    close: () => Promise.resolve(),
  };
}

interface Wish {
  readonly operation: string;
  readonly input: Canonical;
  readonly call: DoorCallOptions;
}

function guardedCall(inner: DoorTransport, guard: Guard, wish: Wish): Promise<CallReply> {
  const { operation, input, call } = wish;
  const standing = guard.standing();
  if (isTurned(standing)) return Promise.resolve(refused(guard, standing));
  const turned = guard.allotment.call(guard.askers.of(call.agent)) ?? guard.rights.refusalOf(standing, wish);
  if (turned !== undefined) {
    if (isAudited(turned)) note(guard, standing, wish);
    return Promise.resolve(refused(guard, turned));
  }
  const answer = operation === "register-agent" ? registered(inner, guard, wish) : inner.call(operation, input, call);
  // Nearly everybody may read what it touches; then there is nothing to leave out, and nothing to wait for.
  return isAllowedEverywhere(standing, ["read"]) ? answer : answer.then((reply) => shown(guard, standing, wish, reply));
}

async function registered(inner: DoorTransport, guard: Guard, { operation, input, call }: Wish): Promise<CallReply> {
  const turned = await guard.allotment.register(guard.askers.own);
  return turned === undefined ? inner.call(operation, input, call) : refused(guard, turned);
}

/** The answer without what the caller may not read. A ticket tells its paths only when it was granted. */
function shown(guard: Guard, standing: Standing, { operation, input }: Wish, reply: CallReply): CallReply {
  const events = new EventSight(guard.lookups).visible(standing, reply.events);
  const turned = operation === "get-ticket" ? guard.rights.refusalOfGrant(standing, operation, reply) : undefined;
  if (turned !== undefined) return refused(guard, turned);
  const { kindCommands } = guard;
  const written = shownWrite(standing, { operation, input, reply, kindCommands });
  return { ...withVisiblePaths(standing, operation, written), events };
}

/** Whether it is the agent that it says was not found out yet; nobody may leave somebody else's name in the audit trail. */
function note({ notes, lookups }: Guard, { principal }: Standing, { operation, call }: Wish): void {
  const isOwn = call.agent !== undefined && lookups.principalOf(call.agent) === principal;
  const agent = isOwn ? { agent: call.agent } : {};
  notes.note({ principal, ...agent, operation, reason: "not_allowed" });
}

function refused({ lookups }: Guard, { code, data }: Turned): CallReply {
  return callRefusal(code, data, lookups.position());
}

function standingNow(guard: Guard, operation: string): Standing {
  const standing = guard.standing();
  if (!isTurned(standing)) return standing;
  throw problem(guard, operation, standing);
}

function problem({ lookups }: Guard, operation: string, { code, data }: Turned): HoldfastError {
  return new HoldfastError(operation, code, { data, position: lookups.position() });
}

interface Sighted<Item> {
  readonly open: () => Pages<Item>;
  readonly visible: (sight: EventSight, standing: Standing, items: readonly Item[]) => readonly Item[];
}

/** Pages of what the caller may see. When its token is revoked or expires it ends, also while nothing happens. */
function guardedPages<Item>(guard: Guard, owner: string | undefined, { open, visible }: Sighted<Item>): Pages<Item> {
  const sight = new EventSight(guard.lookups);
  const first = guard.standing();
  if (!isTurned(first) && owner !== undefined) sight.expect(first, owner);
  const counted = isTurned(first) ? first : guard.allotment.watch(guard.askers.own);
  // Opened at once, not with the first page: it starts with what comes after this very call.
  const pages = isTurned(counted) ? undefined : open();
  const listenNoMore = pages === undefined ? undefined : guard.onLost(() => void pages.return?.());
  const end = async (): Promise<{ done: true; value: undefined }> => {
    if (!isTurned(counted)) counted();
    listenNoMore?.();
    await pages?.return?.();
    return { done: true, value: undefined };
  };
  return {
    async next() {
      for (;;) {
        try {
          standingNow(guard, "watch");
          if (isTurned(counted)) throw problem(guard, "watch", counted);
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
