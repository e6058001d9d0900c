import type { Registry } from "prom-client";
import { MetricFamily } from "./metric-family.ts";
import type { MetricDefinition } from "./metric-family.ts";

export interface CounterSeries {
  count: number;
}

export class CounterFamily<Label extends string = never> extends MetricFamily<Label, CounterSeries> {
  constructor(registry: Registry, definition: MetricDefinition<Label>) {
    super(registry, definition, {
      type: "counter",
      create: () => ({ count: 0 }),
      samplesOf: (labels, { count }) => [{ labels, value: count }],
    });
  }
}
