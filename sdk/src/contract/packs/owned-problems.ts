import type { Problem } from "../problem.ts";

/** Problems that kinds and packs share. Each has the prefix of its kind or pack: `notes.lock_required`. */
const kindProblems = {
  own_operations: {
    status: 409,
    retry: "never",
    title: "A pack owns the entities of this type",
    next: "Use the operations of the pack. The general operations on entities can only read them.",
  },
  lock_required: {
    status: 423,
    retry: "new-key-after-read",
    title: "The change needs a lock that the caller does not hold",
    next: "Acquire `acquire` with acquire-lock, read again and send a new request. `missing` names the holders.",
    reveals: [
      { member: "missing", id: "path", isPath: true },
      { member: "acquire", id: "path", isPath: true },
    ],
  },
} as const satisfies Record<string, Problem>;

/** The problems of a pack that owns entities and demands locks. */
export function ownedProblems(pack: string): Readonly<Record<string, Problem>> {
  return Object.fromEntries(Object.entries(kindProblems).map(([code, problem]) => [`${pack}.${code}`, problem]));
}

/** The problem of a code with any prefix, if kinds and packs share it. */
export function ownedProblemOf(code: string): Problem | undefined {
  const plain = code.slice(code.indexOf(".") + 1);
  return Object.entries<Problem>(kindProblems).find(([name]) => name === plain)?.[1];
}
