import type { Pack } from "@holdfast/sdk/contract";
import { packOff } from "../../packs/pack-off.ts";
import type { StateReader } from "../../machine/state.ts";
import type { NoticeSource } from "../notices/notice-source.ts";
import type { ServerPack } from "./server-pack.ts";

/** The sources of notices of all packs. A pack that is off sends none. */
export function packNotices(packs: readonly ServerPack[]): readonly NoticeSource[] {
  return packs.flatMap(({ contract, notices = [] }) => notices.map((source) => whileOn(contract, source)));
}

function whileOn(pack: Pack, source: NoticeSource): NoticeSource {
  const isOn = (state: StateReader): boolean => packOff(state, pack) === undefined;
  return {
    word: source.word,
    events: source.events,
    begin: (state, owner) => (isOn(state) ? source.begin(state, owner) : []),
    take: (state, entry) => (isOn(state) ? source.take(state, entry) : []),
    settle: async () => source.settle?.(),
    forget: (owner) => source.forget?.(owner),
  };
}
