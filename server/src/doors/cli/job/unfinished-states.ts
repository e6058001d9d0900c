/** The states of a job that can still run by itself, the nearest to its end first. Lists of jobs have this order. */
export const unfinishedStates = ["running", "locking", "ready", "scheduled", "waiting"] as const;
