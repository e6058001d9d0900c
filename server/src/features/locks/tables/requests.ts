/**
 * The requests that share a grant or a ticket, by operation and key. An owner that requests the same set again shares
 * what it has. A withdrawn request frees it only if no other request shares it.
 */
import { isWithdrawable, withdrawalKey } from "@holdfast/sdk/contract";
import type { Fold, FoldedEntry } from "../../../machine/feature.ts";
import type { StateReader, StateWriter } from "../../../machine/state.ts";
import { gap, grantTable, holdTable, ticketTable } from "./lock-tables.ts";
import type { GrantRow, TicketRow } from "./lock-tables.ts";
import { lockLimits } from "./settings.ts";

/** A request that cannot be withdrawn: it has no key, or the grant has too many requests. */
const unnamed = "";

type Shared = Pick<GrantRow, "requests">;

/** The member `requests` of a new row. It is absent if the request has no key. */
export function requestsOf({ operation, key }: Pick<FoldedEntry, "operation" | "key">): Shared {
  return key === undefined || !isWithdrawable(operation) ? {} : { requests: [withdrawalKey({ operation, key })] };
}

/** The row with the requests of another row, or with the request of an entry. */
export function addRequests<Row extends Shared>(row: Row, { requests: added = [unnamed] }: Shared): Row {
  const requests = [...new Set([...(row.requests ?? [unnamed]), ...added])];
  if (requests.every((request) => request === unnamed)) return row;
  const excess = requests.length - lockLimits.requestsMax;
  if (excess <= 0) return { ...row, requests };
  const named = requests.filter((request) => request !== unnamed);
  return { ...row, requests: [unnamed, ...named.slice(1 - lockLimits.requestsMax)] };
}

/** True if the request of a command shares the grant or the ticket already. */
export function isJoined(row: Shared, command: Pick<FoldedEntry, "operation" | "key">): boolean {
  const [request = unnamed] = requestsOf(command).requests ?? [];
  return (row.requests ?? [unnamed]).includes(request);
}

/** The owner's grant or ticket that a request shares. */
export function findRequest(
  state: StateReader,
  owner: string,
  request: string,
): { readonly grant: GrantRow } | { readonly ticket: TicketRow } | undefined {
  const prefix = `${owner}${gap}`;
  const isShared = ({ requests }: Shared): boolean => requests?.includes(request) === true;
  for (const { fence } of state.rows(holdTable).scan("owner", { prefix, limit: Infinity })) {
    const grant = state.rows(grantTable).get(fence);
    if (grant !== undefined && isShared(grant)) return { grant };
  }
  const ticket = state.rows(ticketTable).scan("owner", { prefix, limit: Infinity }).find(isShared);
  return ticket === undefined ? undefined : { ticket };
}

export const requestFolds: Readonly<Record<string, Fold>> = {
  "lock.request_joined": (state, { data }, entry) => {
    changeRequests(state, data, (row) => addRequests(row, requestsOf(entry)));
  },
  "lock.request_withdrawn": (state, { data }) => {
    changeRequests(state, data, (row) => leaveTo(row, data["request"], heirsOf(state, row)));
  },
};

/** A grant that its last request leaves belongs to the request that waits to upgrade it. */
function heirsOf(state: StateReader, row: Shared & Pick<GrantRow, "upgrading">): Shared | undefined {
  return row.upgrading === undefined ? undefined : state.rows(ticketTable).get(row.upgrading);
}

function leaveTo<Row extends Shared>(row: Row, request: unknown, heirs: Shared | undefined): Row {
  const { requests = [], ...rest } = row;
  const left = requests.filter((each) => each !== request);
  if (left.length > 0 || heirs === undefined) return { ...(rest as Row), requests: left };
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
