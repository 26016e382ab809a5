// SPDX-License-Identifier: Apache-2.0
import { MetricFamily, type SampleWriter } from './metric-family.ts';

/** One series that only grows. */
export class CounterSeries {
  value = 0;

  /** Adds `amount`, which must not be negative. @default 1 */
  inc(amount = 1): void {
    if (amount < 0) throw new RangeError('a counter cannot be decreased');
    this.value += amount;
  }
}

/** A metric that only grows: requests made, errors seen. Its name ends in `_total`. */
export class Counter extends MetricFamily<CounterSeries> {
  override readonly type = 'counter';

  protected override create(): CounterSeries {
    return new CounterSeries();
  }

  protected override write(child: CounterSeries, labels: string, write: SampleWriter): void {
    write('', labels, child.value);
  }
}
