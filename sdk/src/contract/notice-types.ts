/** The notices of all features and packs. */
import Type from "typebox";
import { noticeSchema } from "./notice-type.ts";
import type { NoticeType } from "./notice-type.ts";
import { notices } from "./notices.ts";
import type { Notice } from "./notices.ts";
import { packs } from "./packs/packs.ts";

/** Kinds of notices by word: those of features, then those of packs. */
export const noticeTypes: ReadonlyMap<string, NoticeType> = new Map<string, NoticeType>([
  ...Object.entries(notices),
  ...packs.flatMap((pack) => Object.entries(pack.notices ?? {})),
]);

/** Every notice. */
export const notice = Type.Union([...noticeTypes].map(([word, type]) => noticeSchema(word, type)));

/** The word and the key of a notice. A newer notice with the same text replaces it. */
export function noticeKey(sent: Notice): string {
  const { key = "owner_id" } = noticeTypes.get(sent.notice) ?? {};
  return `${sent.notice} ${String((sent as Readonly<Record<string, unknown>>)[key])}`;
}
