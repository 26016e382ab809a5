// SPDX-License-Identifier: Apache-2.0
import { Counter } from './counter.ts';
import { Gauge } from './gauge.ts';
import { Histogram, type HistogramOptions } from './histogram.ts';
import type { FamilyOptions, MetricFamily } from './metric-family.ts';

/**
 * The metrics of one program, rendered in Prometheus' text format. Requesting a name twice gives the same family, so
 * that several controllers share one metric and differ in a label.
 */
export class MetricRegistry {
  readonly #families = new Map<string, MetricFamily<unknown>>();
  readonly #collectors = new Set<() => void>();

  counter(options: FamilyOptions): Counter {
    return this.#family(options, Counter);
  }

  gauge(options: FamilyOptions): Gauge {
    return this.#family(options, Gauge);
  }

  histogram(options: HistogramOptions): Histogram {
    return this.#family(options, Histogram);
  }

  /**
   * Called before each rendering, to set gauges that are cheaper to compute than to keep. Returns a function that stops
   * this.
   */
  onCollect(collector: () => void): () => void {
    this.#collectors.add(collector);
    return () => {
      this.#collectors.delete(collector);
    };
  }

  /** All metrics in version 0.0.4 of the text format. */
  render(): string {
    for (const collector of this.#collectors) runQuietly(collector);
    const lines: string[] = [];
    for (const family of this.#families.values()) {
      lines.push(`# HELP ${family.name} ${escapeHelp(family.help)}`, `# TYPE ${family.name} ${family.type}`);
      family.collect((suffix, labels, value) => {
        lines.push(`${family.name}${suffix}${labels === '' ? '' : `{${labels}}`} ${formatValue(value)}`);
      });
    }
    return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
  }

  #family<O extends FamilyOptions, F extends MetricFamily<unknown>>(options: O, family: new (options: O) => F): F {
    const known = this.#families.get(options.name);
    if (!known) {
      const made = new family(options);
      this.#families.set(options.name, made);
      return made;
    }
    const sameLabels = known.labelNames.join() === (options.labels ?? []).join();
    if (!(known instanceof family) || !sameLabels) {
      throw new TypeError(`metric ${options.name} is already registered with another type or other labels`);
    }
    return known;
  }
}

/** The media type of `MetricRegistry.render`. */
export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

/** One gauge that cannot be computed must not make all metrics fail. */
function runQuietly(collector: () => void): void {
  try {
    collector();
  } catch {
    // The gauges of this collector keep their last values.
  }
}

function formatValue(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  return String(value);
}

function escapeHelp(help: string): string {
  return help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
