// SPDX-License-Identifier: Apache-2.0
import { MetricFamily, type SampleWriter } from './metric-family.ts';

/** One series that can increase and decrease. */
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

/** A metric that can increase and decrease: the depth of a queue, the number of workers. */
export class Gauge extends MetricFamily<GaugeSeries> {
  override readonly type = 'gauge';

  protected override create(): GaugeSeries {
    return new GaugeSeries();
  }

  protected override write(child: GaugeSeries, labels: string, write: SampleWriter): void {
    write('', labels, child.value);
  }
}
