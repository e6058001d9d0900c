/**
 * The requests that share a grant or a ticket, by operation and key. An owner that requests the same set again shares
 * its grant or ticket. A withdrawn request frees it only if no other request shares it.
 *
 * A row holds an acquire as its key alone, and an upgrade as its key after a character that no key has. Every lease
 * keeps one, and the text of the operation would add 48 bytes to each.
 */
import { requestOfWithdrawal, withdrawalKey } from "@holdfast/sdk/contract";
import type { Fold, FoldedEntry } from "../../../machine/feature.ts";
import type { StateReader, StateWriter } from "../../../machine/state.ts";
import { gap, grantTable, holdTable, ticketTable } from "./lock-tables.ts";
import type { GrantRow, Requests, TicketRow } from "./lock-tables.ts";
import { lockLimits } from "./settings.ts";

/** A request that cannot be withdrawn: it has no key, or the grant has too many requests. */
const unnamed = "";

type Shared = Pick<GrantRow, "requests">;

function listOf(requests: Requests): readonly string[] {
  return typeof requests === "string" ? [requests] : requests;
}

/** The requests of a row as keys of their withdrawals. Empty for one that cannot be withdrawn. */
export function withdrawalKeys({ requests = unnamed }: Shared): readonly string[] {
  return listOf(requests).map((request) => {
    if (request === unnamed) return unnamed;
    const isUpgrade = request.startsWith(gap);
    const operation = isUpgrade ? "upgrade-lock" : "acquire-lock";
    return withdrawalKey({ operation, key: isUpgrade ? request.slice(gap.length) : request });
  });
}

/** The request of an entry, as a row holds it. Undefined if it cannot be withdrawn. */
export function requestOf({ operation, key }: Pick<FoldedEntry, "operation" | "key">): string | undefined {
  if (operation === "acquire-lock") return key;
  return operation === "upgrade-lock" && key !== undefined ? gap + key : undefined;
}

/** The row with further requests. Undefined is a request without a key. */
export function addRequests<Row extends Shared>(row: Row, added: Requests = unnamed): Row {
  const requests = [...new Set([...listOf(row.requests ?? unnamed), ...listOf(added)])];
  if (requests.every((request) => request === unnamed)) return row;
  if (requests.length <= lockLimits.requestsMax) return withRequests(row, requests);
  const named = requests.filter((request) => request !== unnamed);
  return withRequests(row, [unnamed, ...named.slice(1 - lockLimits.requestsMax)]);
}

function withRequests<Row extends Shared>(row: Row, requests: readonly string[]): Row {
  const [only] = requests;
  return { ...row, requests: requests.length === 1 && only !== undefined ? only : requests };
}

/** True if the request of a command shares the grant or the ticket already. */
export function isJoined(row: Shared, command: Pick<FoldedEntry, "operation" | "key">): boolean {
  return listOf(row.requests ?? unnamed).includes(requestOf(command) ?? unnamed);
}

/** True if the request with this withdrawal key shares the grant or the ticket. */
export function hasRequest({ requests = [] }: Shared, withdrawn: string): boolean {
  return listOf(requests).includes(requestOf(requestOfWithdrawal(withdrawn)) ?? unnamed);
}

/** True if several requests share the grant or the ticket. */
export function isSharedByMany({ requests = [] }: Shared): boolean {
  return listOf(requests).length > 1;
}

/** The owner's grant or ticket that the request with this withdrawal key shares. */
export function findRequest(
  state: StateReader,
  owner: string,
  withdrawn: string,
): { readonly grant: GrantRow } | { readonly ticket: TicketRow } | undefined {
  const prefix = `${owner}${gap}`;
  const isShared = (row: Shared): boolean => hasRequest(row, withdrawn);
  for (const { fence } of state.rows(holdTable).scan("owner", { prefix, limit: Infinity })) {
    const grant = state.rows(grantTable).get(fence);
    if (grant !== undefined && isShared(grant)) return { grant };
  }
  const ticket = state.rows(ticketTable).scan("owner", { prefix, limit: Infinity }).find(isShared);
  return ticket === undefined ? undefined : { ticket };
}

export const requestFolds: Readonly<Record<string, Fold>> = {
  "lock.request_joined": (state, { data }, entry) => {
    changeRequests(state, data, (row) => addRequests(row, requestOf(entry)));
  },
  "lock.request_withdrawn": (state, { data }) => {
    const request = requestOf(requestOfWithdrawal(data["request"] as string));
    changeRequests(state, data, (row) => leaveTo(row, request, heirsOf(state, row)));
  },
};

/** A grant that its last request leaves belongs to the request that waits to upgrade it. */
function heirsOf(state: StateReader, row: Shared & Pick<GrantRow, "upgrading">): Shared | undefined {
  return row.upgrading === undefined ? undefined : state.rows(ticketTable).get(row.upgrading);
}

function leaveTo<Row extends Shared>(row: Row, request: unknown, heirs: Shared | undefined): Row {
  const { requests = [], ...rest } = row;
  const left = listOf(requests).filter((each) => each !== request);
  if (left.length > 0 || heirs === undefined) return withRequests(rest as Row, left);
  return heirs.requests === undefined ? (rest as Row) : { ...(rest as Row), requests: heirs.requests };
}

function changeRequests(
  state: StateWriter,
  { fence, ticket }: Readonly<Record<string, unknown>>,
  change: <Row extends Shared>(row: Row) => Row,
): void {
  const grant = state.rows(grantTable).get(String(fence));
  if (grant !== undefined) state.rows(grantTable).put(change(grant));
  const queued = state.rows(ticketTable).get(String(ticket));
  if (queued !== undefined) state.rows(ticketTable).put(change(queued));
}
