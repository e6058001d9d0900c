/**
 * Locks: fair, hierarchical, fenced leases.
 *
 * - Two owners never hold conflicting locks: on the same path, or on a tree and a path in it.
 * - First come, first served. No request passes an earlier conflicting ticket, except an upgrade of a lock that its
 *   owner holds. The entry that frees a lock grants the next ticket.
 * - The fence of a grant is derived from its position in the journal. It always increases, and is valid only while the
 *   grant lives.
 * - A lease ends by an entry, never by reading a clock. An ended lease is never revived.
 * - A wait that would close a cycle is refused when it would begin.
 */
import { lockInternals, lockOperations } from "@holdfast/sdk/contract";
import type { Feature } from "../../machine/feature.ts";
import { rulesOf } from "../rule-of.ts";
import { acquireLock } from "./rules/acquire-lock.ts";
import { cancelTicket, acceptLock } from "./rules/accept-lock.ts";
import { configureLocks } from "./rules/configure-locks.ts";
import { downgradeLock } from "./rules/downgrade-lock.ts";
import { continueHandover, expireLock, expireTicket, lockTimers } from "./rules/expire-lock.ts";
import { foldGrantBeats, grantFolds } from "./tables/grant-folds.ts";
import { foldTicketBeats, ticketFolds } from "./tables/ticket-folds.ts";
import { forceRelease, overrideRelease } from "./rules/force-release.ts";
import { foldEnded, foldKept, freeAllOf, freeEnded } from "./queue/free-ended.ts";
import * as tables from "./tables/lock-tables.ts";
import { missedGrantTable } from "./tables/missed-grants.ts";
import { endOverdueOf, grantCovered } from "./queue/grant-covered.ts";
import { requestFolds } from "./tables/requests.ts";
import { releaseLock } from "./rules/release-lock.ts";
import { renewLock } from "./rules/renew-lock.ts";
import { requestRelease } from "./rules/request-release.ts";
import { transferLock } from "./rules/transfer-lock.ts";
import { upgradeLock } from "./rules/upgrade-lock.ts";
import { withdrawRequest } from "./rules/withdraw-request.ts";

export const locksFeature: Feature = {
  name: "locks",
  needs: ["agents", "space"],
  tables: [
    tables.grantTable,
    tables.holdTable,
    tables.holdCounterTable,
    tables.waitCounterTable,
    tables.ownerTable,
    tables.principalTable,
    tables.ticketTable,
    tables.waitTable,
    tables.lockSingletonTable,
    missedGrantTable,
  ],
  rules: {
    ...rulesOf(lockOperations, {
      "acquire-lock": acquireLock,
      "release-lock": releaseLock,
      "renew-lock": renewLock,
      "upgrade-lock": upgradeLock,
      "downgrade-lock": downgradeLock,
      "transfer-lock": transferLock,
      "request-release": requestRelease,
      "accept-lock": acceptLock,
      "cancel-ticket": cancelTicket,
      "withdraw-request": withdrawRequest,
      "force-release": forceRelease,
      "override-release": overrideRelease,
      "configure-locks": configureLocks,
    }),
    ...rulesOf(lockInternals, {
      "expire-lock": expireLock,
      "expire-ticket": expireTicket,
      "continue-handover": continueHandover,
      "free-ended": freeEnded,
    }),
  },
  folds: {
    ...grantFolds,
    ...ticketFolds,
    ...requestFolds,
    "agent.ended": foldEnded,
    "lock.kept": foldKept,
    "agents.renewed": (state, event, entry) => {
      foldGrantBeats(state, event, entry);
      foldTicketBeats(state, event, entry);
    },
  },
  reactions: {
    "agent.ended": freeAllOf,
    "agents.renewed": endOverdueOf,
    "lock.acquired": grantCovered,
    "lock.upgraded": grantCovered,
    "lock.transferred": grantCovered,
    "lock.adopted": grantCovered,
  },
  timers: lockTimers,
};
