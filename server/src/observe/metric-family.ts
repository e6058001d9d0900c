/**
 * Counters and histograms that cost a few nanoseconds per observation. Each series is an object of plain numbers. The
 * counting code looks it up once and keeps it. The classes of prom-client look up a series by its labels at every
 * observation. That would be most of the cost of counting a lock. Here prom-client only renders the page.
 */
import type { Metric, MetricValue, Registry } from "prom-client";

export interface MetricDefinition<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
}

export type LabelValues<Label extends string> = Readonly<Record<Label, string>>;

export type SampleValue = MetricValue<string> & { readonly metricName?: string };

/** How one kind of metric makes a series and renders it. */
interface SeriesKind<Series> {
  readonly type: "counter" | "histogram";
  readonly create: () => Series;
  readonly samplesOf: (labels: LabelValues<string>, series: Series) => readonly SampleValue[];
}

/** A metric with labels: one series per combination of label values. */
export class MetricFamily<Label extends string, Series> {
  readonly #definition: MetricDefinition<Label>;
  readonly #kind: SeriesKind<Series>;
  readonly #seriesByKey = new Map<string, { readonly labels: LabelValues<Label>; readonly series: Series }>();

  constructor(registry: Registry, definition: MetricDefinition<Label>, kind: SeriesKind<Series>) {
    this.#definition = definition;
    this.#kind = kind;
    const { name, labels } = definition;
    // The registry reads only the name and the values of a metric.
    const metric = { name, get: async () => this.#read(), reset: () => undefined };
    registry.registerMetric(metric as unknown as Metric);
    if (labels.length === 0) this.series({} as LabelValues<Label>);
  }

  /** Returns the series of these label values. The first call creates it at zero. */
  series(labels: LabelValues<Label>): Series {
    const key = this.#definition.labels.map((label) => labels[label]).join("\n");
    const known = this.#seriesByKey.get(key);
    if (known !== undefined) return known.series;
    const series = this.#kind.create();
    this.#seriesByKey.set(key, { labels, series });
    return series;
  }

  /** The values that the registry reads when it renders the page. */
  #read(): object {
    const { name, help } = this.#definition;
    const { type, samplesOf } = this.#kind;
    const values = Array.from(this.#seriesByKey.values()).flatMap(({ labels, series }) => samplesOf(labels, series));
    return { name, help, type, aggregator: "sum", values };
  }
}
