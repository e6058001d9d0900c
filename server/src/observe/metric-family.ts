/**
 * Counters and histograms that cost a few nanoseconds per observation. Each series is an object of plain numbers. The
 * counting code looks it up once and keeps it. The classes of prom-client look up a series by its labels at every
 * observation. That would be most of the cost of counting a lock. Here prom-client only renders the page.
 */
import type { Metric, MetricValue, Registry } from "prom-client";

export interface MetricFamily<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
}

export interface CounterSeries {
  count: number;
}

type LabelValues<Label extends string> = Readonly<Record<Label, string>>;

/** A counter with labels: one series per combination of label values. */
export class CounterFamily<Label extends string = never> {
  readonly #family: MetricFamily<Label>;
  readonly #seriesByKey = new Map<string, { readonly labels: LabelValues<Label>; readonly series: CounterSeries }>();

  constructor(registry: Registry, family: MetricFamily<Label>) {
    this.#family = family;
    register(registry, family.name, async () => this.#read());
    if (family.labels.length === 0) this.series({} as LabelValues<Label>);
  }

  /** Returns the series of these label values. The first call creates it at zero. */
  series(labels: LabelValues<Label>): CounterSeries {
    const key = keyOf(this.#family, labels);
    const known = this.#seriesByKey.get(key);
    if (known !== undefined) return known.series;
    const series = { count: 0 };
    this.#seriesByKey.set(key, { labels, series });
    return series;
  }

  #read(): MetricPage {
    const values = Array.from(this.#seriesByKey.values(), ({ labels, series }) => ({ labels, value: series.count }));
    return pageOf(this.#family, "counter", values);
  }
}

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

/** A histogram with labels: one series per combination of label values. */
export class HistogramFamily<Label extends string = never> {
  readonly #family: MetricFamily<Label>;
  readonly #bounds: readonly number[];
  readonly #seriesByKey = new Map<string, { readonly labels: LabelValues<Label>; readonly series: HistogramSeries }>();

  constructor(registry: Registry, family: MetricFamily<Label> & { readonly bounds: readonly number[] }) {
    this.#family = family;
    this.#bounds = family.bounds;
    register(registry, family.name, async () => this.#read());
    if (family.labels.length === 0) this.series({} as LabelValues<Label>);
  }

  series(labels: LabelValues<Label>): HistogramSeries {
    const key = keyOf(this.#family, labels);
    const known = this.#seriesByKey.get(key);
    if (known !== undefined) return known.series;
    const series = new HistogramSeries(this.#bounds);
    this.#seriesByKey.set(key, { labels, series });
    return series;
  }

  #read(): MetricPage {
    const values = Array.from(this.#seriesByKey.values()).flatMap(({ labels, series }) =>
      this.#samplesOf(labels, series),
    );
    return pageOf(this.#family, "histogram", values);
  }

  #samplesOf(labels: LabelValues<Label>, series: HistogramSeries): readonly SampleValue[] {
    const { name } = this.#family;
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
}

/** The values that the registry reads from a metric when it renders the page. */
interface MetricPage {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "histogram";
  readonly aggregator: "sum";
  readonly values: readonly SampleValue[];
}

type SampleValue = MetricValue<string> & { readonly metricName?: string };

function keyOf<Label extends string>({ labels }: MetricFamily<Label>, values: LabelValues<Label>): string {
  return labels.map((label) => values[label]).join("\n");
}

function pageOf(
  { name, help }: MetricFamily<string>,
  type: MetricPage["type"],
  values: readonly SampleValue[],
): MetricPage {
  return { name, help, type, aggregator: "sum", values };
}

/** The registry reads only the name and the values of a metric. */
function register(registry: Registry, name: string, get: () => Promise<MetricPage>): void {
  registry.registerMetric({ name, get, reset: () => undefined } as unknown as Metric);
}
