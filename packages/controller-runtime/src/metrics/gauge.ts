// SPDX-License-Identifier: Apache-2.0
import { MetricFamily, type SampleWriter } from './metric-family.ts';

/** One series that goes up and down. */
export class GaugeSeries {
  value = 0;

  set(value: number): void {
    this.value = value;
  }

  inc(amount = 1): void {
    this.value += amount;
  }

  dec(amount = 1): void {
    this.value -= amount;
  }
}

/** A metric that goes up and down: the depth of a queue, the number of workers. */
export class Gauge extends MetricFamily<GaugeSeries> {
  override readonly type = 'gauge';

  protected override create(): GaugeSeries {
    return new GaugeSeries();
  }

  protected override write(child: GaugeSeries, labels: string, write: SampleWriter): void {
    write('', labels, child.value);
  }
}
