import Type from "typebox";
import type { TObject, TProperties } from "typebox";
import { ownerId } from "./agents.ts";
import type { Verb } from "./allowance.ts";
import { lockPath } from "./lock-path.ts";

/** A kind of notice. Its word names it in `notice`, and as the `event` of a stream over HTTP. */
export interface NoticeType {
  readonly summary: string;
  /** The members besides `notice`, `owner_id` and `paths`. */
  readonly members: TProperties;
  /** The member that names the subject of a notice. A newer notice with the same key replaces an older one. */
  readonly key: string;
  /** One of these verbs on each of its paths shows a notice to a caller that is not its owner; `read` by default. */
  readonly verbs?: readonly Verb[];
}

/** The schema of a notice with this word. */
export function noticeSchema(word: string, { summary, members }: NoticeType): TObject {
  const head = { notice: Type.Literal(word), owner_id: ownerId, paths: Type.Array(lockPath) };
  return Type.Object({ ...head, ...members }, { additionalProperties: false, description: summary });
}
