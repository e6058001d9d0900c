import type { Prepare } from "../../calls/app-operation.ts";
import { storageRefusal } from "../files/commit-evidence.ts";

/** A new project is in a storage root, so the roots of this node are announced before the decision chooses one. */
export const prepareProject: Prepare = {
  at: "head",
  isNeeded: () => true,
  run: async (input, { services }) =>
    (await storageRefusal(services, input["root"] as string | undefined)) ?? { input },
};
