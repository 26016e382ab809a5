// SPDX-License-Identifier: Apache-2.0
import { type FamilyOptions, MetricFamily, type SampleWriter } from './metric-family.ts';

/** Upper bounds in seconds that suit calls and reconciles: 5 ms to 60 s. */
export const defaultBuckets: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** One series of a histogram. */
export class HistogramSeries {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  sum = 0;
  count = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length);
  }

  observe(value: number): void {
    this.sum += value;
    this.count++;
    for (let bucket = 0; bucket < this.#bounds.length; bucket++) {
      if (value <= (this.#bounds[bucket] ?? Number.POSITIVE_INFINITY)) {
        this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
        return;
      }
    }
  }

  /** Cumulative counts by upper bound, `+Inf` last. */
  *buckets(): Generator<readonly [bound: string, count: number]> {
    let total = 0;
    for (let bucket = 0; bucket < this.#bounds.length; bucket++) {
      total += this.#counts[bucket] ?? 0;
      yield [String(this.#bounds[bucket]), total];
    }
    yield ['+Inf', this.count];
  }
}

export interface HistogramOptions extends FamilyOptions {
  /** Upper bounds, ascending. @default defaultBuckets */
  readonly buckets?: readonly number[];
}

/** A metric that counts observations by size: durations, sizes. */
export class Histogram extends MetricFamily<HistogramSeries> {
  override readonly type = 'histogram';
  readonly #bounds: readonly number[];

  constructor(options: HistogramOptions) {
    super(options);
    const bounds = options.buckets ?? defaultBuckets;
    if (bounds.some((bound, index) => index > 0 && bound <= (bounds[index - 1] ?? bound))) {
      throw new RangeError(`the buckets of ${options.name} are not in ascending order`);
    }
    this.#bounds = bounds;
  }

  protected override create(): HistogramSeries {
    return new HistogramSeries(this.#bounds);
  }

  protected override write(child: HistogramSeries, labels: string, write: SampleWriter): void {
    const prefix = labels === '' ? '' : `${labels},`;
    for (const [bound, count] of child.buckets()) write('_bucket', `${prefix}le="${bound}"`, count);
    write('_sum', labels, child.sum);
    write('_count', labels, child.count);
  }
}
