/** Limits that keep every decision of planning short. */
export const planningLimits = {
  /** Maximum assignments of a mission. A transition reads all of them. */
  assignmentsPerMission: 1_000,
  /** Maximum clashes listed in a refusal. `clash_count` has their number. */
  clashesNamed: 1_000,
  /** Maximum users of a resource listed in a refusal to delete or archive it. */
  usersNamed: 10,
  /** Maximum rows that a list reads for one page, filtered rows included. */
  rowsPerPage: 1_000,
} as const;
