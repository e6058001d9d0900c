/**
 * Counters and histograms that cost a few nanoseconds: each series is a cell of plain numbers, found once and kept by
 * whoever counts. prom-client looks a series up by its labels with every observation, which would be most of the cost of
 * counting a lock; here it only writes the page.
 */
import type { Metric, MetricValue, Registry } from "prom-client";

export interface Family<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
}

export interface CountCell {
  count: number;
}

type LabelValues<Label extends string> = Readonly<Record<Label, string>>;

/** A counter with labels. */
export class CounterCells<Label extends string = never> {
  readonly #family: Family<Label>;
  readonly #cells = new Map<string, { readonly labels: LabelValues<Label>; readonly cell: CountCell }>();

  constructor(registry: Registry, family: Family<Label>) {
    this.#family = family;
    register(registry, family.name, async () => this.#read());
    if (family.labels.length === 0) this.cell({} as LabelValues<Label>);
  }

  /** The cell of a series. It is there, at zero, from now on. */
  cell(labels: LabelValues<Label>): CountCell {
    const key = keyOf(this.#family, labels);
    const known = this.#cells.get(key);
    if (known !== undefined) return known.cell;
    const cell = { count: 0 };
    this.#cells.set(key, { labels, cell });
    return cell;
  }

  #read(): Page {
    const values = Array.from(this.#cells.values(), ({ labels, cell }) => ({ labels, value: cell.count }));
    return pageOf(this.#family, "counter", values);
  }
}

/** How often a value was at most each bound; the last is for everything above them. */
export class SpreadCell {
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

/** A histogram with labels. */
export class HistogramCells<Label extends string = never> {
  readonly #family: Family<Label>;
  readonly #bounds: readonly number[];
  readonly #cells = new Map<string, { readonly labels: LabelValues<Label>; readonly cell: SpreadCell }>();

  constructor(registry: Registry, family: Family<Label> & { readonly bounds: readonly number[] }) {
    this.#family = family;
    this.#bounds = family.bounds;
    register(registry, family.name, async () => this.#read());
    if (family.labels.length === 0) this.cell({} as LabelValues<Label>);
  }

  cell(labels: LabelValues<Label>): SpreadCell {
    const key = keyOf(this.#family, labels);
    const known = this.#cells.get(key);
    if (known !== undefined) return known.cell;
    const cell = new SpreadCell(this.#bounds);
    this.#cells.set(key, { labels, cell });
    return cell;
  }

  #read(): Page {
    const values = Array.from(this.#cells.values()).flatMap(({ labels, cell }) => this.#series(labels, cell));
    return pageOf(this.#family, "histogram", values);
  }

  #series(labels: LabelValues<Label>, cell: SpreadCell): readonly NamedValue[] {
    const { name } = this.#family;
    let total = 0;
    const buckets = cell.counts.map((count, index) => {
      total += count;
      const le = cell.bounds[index] ?? "+Inf";
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: cell.sum },
      { metricName: `${name}_count`, labels, value: total },
    ];
  }
}

/** What the registry asks a metric for when it writes the page. */
interface Page {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "histogram";
  readonly aggregator: "sum";
  readonly values: readonly NamedValue[];
}

type NamedValue = MetricValue<string> & { readonly metricName?: string };

function keyOf<Label extends string>({ labels }: Family<Label>, values: LabelValues<Label>): string {
  return labels.map((label) => values[label]).join("\n");
}

function pageOf({ name, help }: Family<string>, type: Page["type"], values: readonly NamedValue[]): Page {
  return { name, help, type, aggregator: "sum", values };
}

/** The registry asks a metric for no more than its name and its values. */
function register(registry: Registry, name: string, get: () => Promise<Page>): void {
  registry.registerMetric({ name, get, reset: () => undefined } as unknown as Metric);
}
