/** Bounds that keep every decision of planning short. */
export const planningLimits = {
  /** A transition looks at all of a mission's assignments. */
  assignmentsPerMission: 1_000,
  /** So many clashes are named in a refusal; their number is told. */
  clashesNamed: 1_000,
  /** So many users of something are named when it can't be deleted or archived. */
  usersNamed: 10,
  /** So many rows a list looks at for one page, whatever its filters leave out. */
  rowsPerPage: 1_000,
} as const;
