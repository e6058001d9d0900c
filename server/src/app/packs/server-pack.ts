import type { PackRules } from "../../packs/pack-rules.ts";
import type { Check } from "../../checks/check.ts";
import type { EvidenceSource, Finish, OperationRun, Prepare } from "../calls/app-operation.ts";
import type { Explain } from "../calls/explain.ts";
import type { NoticeSource } from "../notices/notice-source.ts";
import type { AppRead } from "../reads/app-read.ts";
import type { View } from "./view.ts";

type ByName<Part> = Readonly<Record<string, Part>>;

/** A pack with its parts that may wait. A name that its contract lacks stops the start. */
export interface ServerPack extends Omit<PackRules, "list" | "reads"> {
  /** The reads of the pack, by operation. Each read of the contract has one. */
  readonly reads: ByName<AppRead>;
  /** The writes of the pack that take bytes, by operation. They are not commands. */
  readonly uploads?: ByName<OperationRun>;
  /** Steps before the decision, by operation. */
  readonly prepare?: ByName<Prepare>;
  /** Steps after the decision is durable, by operation. */
  readonly finish?: ByName<Finish>;
  /** How a resource is shown, by entity type. By default its fields are next to its revision. */
  readonly views?: ByName<View>;
  /** Data that explains a refusal, by problem code. */
  readonly explain?: ByName<Explain>;
  /** The sources of evidence, by operation. */
  readonly evidence?: ByName<EvidenceSource>;
  /** The checks that its sources use. */
  readonly checks?: readonly Check[];
  /** The sources of its notices. Each word of the contract has one. */
  readonly notices?: readonly NoticeSource[];
}
