/**
 * Locks: fair, hierarchical, fenced leases.
 *
 * - No two owners ever hold what excludes each other: the same path, or a tree and something in it.
 * - First come, first served: nobody passes somebody who waits earlier for something that conflicts, except an upgrade
 *   of what its owner holds. The entry that frees a lock hands it over.
 * - The fence of a grant is its place in the journal. It rises for ever, and is good only while the grant lives.
 * - A lease ends by an entry, never by looking at a clock; what has ended is never revived.
 * - Waiting that could never end is refused at the moment it would begin.
 */
import { lockInternals, lockOperations } from "@holdfast/sdk/contract";
import type { Feature } from "../../machine/feature.ts";
import { rulesOf } from "../rule-of.ts";
import { acquireLock } from "./rules/acquire-lock.ts";
import { cancelTicket, acceptLock } from "./rules/accept-lock.ts";
import { configureLocks } from "./rules/configure-locks.ts";
import { downgradeLock } from "./rules/downgrade-lock.ts";
import { claimForJob, continueHandover, expireLock, expireTicket, lockTimers } from "./rules/expire-lock.ts";
import { foldGrantBeats, grantFolds } from "./tables/fold-grants.ts";
import { foldTicketBeats, ticketFolds } from "./tables/fold-tickets.ts";
import { forceRelease, overrideRelease } from "./rules/force-release.ts";
import { foldEnded, foldKept, freeAllOf, freeEnded } from "./queue/free-ended.ts";
import * as tables from "./tables/lock-tables.ts";
import { endOverdueOf, serveCovered } from "./queue/reactions.ts";
import { releaseLock } from "./rules/release-lock.ts";
import { renewLock } from "./rules/renew-lock.ts";
import { requestRelease } from "./rules/request-release.ts";
import { transferLock } from "./rules/transfer-lock.ts";
import { upgradeLock } from "./rules/upgrade-lock.ts";

export const locksFeature: Feature = {
  name: "locks",
  needs: ["agents", "space"],
  tables: [
    tables.grantTable,
    tables.holdTable,
    tables.holdTallyTable,
    tables.waitTallyTable,
    tables.ownerTable,
    tables.ticketTable,
    tables.waitTable,
    tables.lockFactTable,
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
      "force-release": forceRelease,
      "override-release": overrideRelease,
      "configure-locks": configureLocks,
    }),
    ...rulesOf(lockInternals, {
      "expire-lock": expireLock,
      "expire-ticket": expireTicket,
      "continue-handover": continueHandover,
      "claim-for-job": claimForJob,
      "free-ended": freeEnded,
    }),
  },
  folds: {
    ...grantFolds,
    ...ticketFolds,
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
    "lock.acquired": serveCovered,
    "lock.upgraded": serveCovered,
    "lock.transferred": serveCovered,
  },
  timers: lockTimers,
};
