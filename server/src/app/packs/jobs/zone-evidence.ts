import type { Json } from "@holdfast/sdk/json/json";
import { zoneOffsets } from "../../../base/zone-offsets.ts";
import type { ZoneEvidence } from "../../../packs/jobs/put-schedule.ts";
import type { EvidenceSource } from "../../calls/app-operation.ts";

/**
 * Finds the offsets of the time zone of a schedule. The decision asks for them only if the state lacks the zone. They
 * are in the entry, so a replay needs no time zone database.
 */
export const zoneEvidence: EvidenceSource = {
  asksDecision: true,
  gather: ({ time_zone: given }, { services: { clock } }) => {
    const zone = given as string;
    const found: ZoneEvidence = zoneOffsets(zone, clock.wallMs()) ?? { zone, isUnknown: true };
    return Promise.resolve(found as unknown as Json);
  },
};
