import type { DecideContext } from "../../../machine/feature.ts";
import { lockSubject } from "../tables/lock-events.ts";
import type { GrantRow, TicketRow } from "../tables/lock-tables.ts";
import { isJoined } from "../tables/requests.ts";

/** Emits that the request of this command shares a grant or a ticket that its owner has already. */
export function joinRequest({ command, emit }: DecideContext, row: GrantRow | TicketRow): void {
  if (isJoined(row, command)) return;
  const shared = "fence" in row ? { fence: row.fence } : { ticket: row.ticket };
  const subject = lockSubject(row.paths[0]?.path ?? "");
  emit({ type: "lock.request_joined", subject, data: { owner_id: row.owner, ...shared } });
}
