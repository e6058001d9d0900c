import type { ReplyStream } from "@holdfast/sdk";
import type { Outcome } from "../../machine/entry.ts";

/** An outcome, with the bytes of an operation that answers with a stream. */
export type RunOutcome = Outcome & { readonly stream?: ReplyStream };
