export { createClient } from "./client/client.ts";
export type { Client } from "./client/client.ts";
export type { Deleted, EntitiesClient, EntityPatch, Page, PatchStep, WriteOptions } from "./client/entities-client.ts";
export { HoldfastError } from "./client/holdfast-error.ts";
export type { CallOptions, CallReply, Transport, WatchedEvent } from "./client/transport.ts";
export type { WatchOptions } from "./client/watch-events.ts";
export type { Entity, HistoryItem, Written } from "./contract/entities.ts";
export { problemOf, problems } from "./contract/problems.ts";
export type { Problem, ProblemCode } from "./contract/problems.ts";
