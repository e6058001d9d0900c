/** The messages between the runner and the thread. All are plain JSON, and the order of arrival is the order of effect. */
import type { Json } from "@holdfast/sdk/json/json";
import type { CheckRequest, CheckRow } from "./check.ts";

export type CheckOrder =
  | { readonly kind: "open"; readonly check: string; readonly module: string; readonly options: Json }
  | {
      readonly kind: "load";
      readonly check: string;
      readonly unit: string;
      readonly rows: readonly CheckRow[];
      readonly isLast: boolean;
    }
  | { readonly kind: "apply"; readonly check: string; readonly position: number; readonly rows: readonly CheckRow[] }
  | { readonly kind: "unload"; readonly check: string; readonly unit: string }
  | { readonly kind: "prepare"; readonly check: string; readonly job: number; readonly request: CheckRequest }
  | { readonly kind: "ask"; readonly check: string; readonly job: number; readonly question: Json }
  | { readonly kind: "answered"; readonly check: string; readonly id: string; readonly isDone: boolean }
  | { readonly kind: "cancel"; readonly check: string; readonly job: number };

export type CheckReport =
  /** The module of a check is loaded, or has a fault. */
  | { readonly kind: "opened"; readonly check: string; readonly fault?: string }
  | { readonly kind: "result"; readonly job: number; readonly result: Json }
  | { readonly kind: "failed"; readonly job: number; readonly reason: string }
  /** The job has ended. */
  | { readonly kind: "cancelled"; readonly job: number }
  /** The job continues when the rows of this unit are loaded. */
  | { readonly kind: "needs"; readonly job: number; readonly unit: string };

/** A connection to a thread. */
export interface CheckPort {
  post(order: CheckOrder): void;
  /** The processor time that the thread has used, in ms. It is pending while the thread gets no processor. */
  usedMs(): Promise<number>;
  close(): Promise<void>;
}

export interface CheckPortEvents {
  readonly report: (report: CheckReport) => void;
  /** The thread has ended by itself. It sends nothing more. */
  readonly broken: (error: Error) => void;
}

export type OpenCheckPort = (on: CheckPortEvents) => CheckPort;
