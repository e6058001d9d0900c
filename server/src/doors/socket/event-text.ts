import { eventText, oncePerPage } from "../event-pages.ts";

/** A page of events as a JSON array. */
export const pageText = oncePerPage((events) => `[${events.map(eventText).join(",")}]`);
