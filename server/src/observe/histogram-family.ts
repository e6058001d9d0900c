import type { Registry } from "prom-client";
import { MetricFamily } from "./metric-family.ts";
import type { LabelValues, MetricDefinition, SampleValue } from "./metric-family.ts";

/** Observations per bucket. A bucket counts values up to its bound; the last bucket counts all larger values. */
export class HistogramSeries {
  readonly bounds: readonly number[];
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = [...bounds, Infinity].map(() => 0);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] ?? 0)) index += 1;
    counts[index] = (counts[index] ?? 0) + 1;
    this.sum += value;
  }
}

export class HistogramFamily<Label extends string = never> extends MetricFamily<Label, HistogramSeries> {
  constructor(registry: Registry, definition: MetricDefinition<Label> & { readonly bounds: readonly number[] }) {
    const { name, bounds } = definition;
    super(registry, definition, {
      type: "histogram",
      create: () => new HistogramSeries(bounds),
      samplesOf: (labels, series) => samplesOf(name, labels, series),
    });
  }
}

function samplesOf(name: string, labels: LabelValues<string>, series: HistogramSeries): readonly SampleValue[] {
  let total = 0;
  const buckets = series.counts.map((count, index) => {
    total += count;
    const le = series.bounds[index] ?? "+Inf";
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: series.sum },
    { metricName: `${name}_count`, labels, value: total },
  ];
}
