// SPDX-License-Identifier: Apache-2.0
import type { CounterSeries } from '../metrics/counter.ts';
import type { GaugeSeries } from '../metrics/gauge.ts';
import type { HistogramSeries } from '../metrics/histogram.ts';
import type { MetricRegistry } from '../metrics/registry.ts';

/** client-go's buckets, powers of ten from 10 ns to 10 s, with additional ones for slow controllers. */
const buckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000];

/** The metrics of one queue, with the names that client-go uses, so that existing dashboards and alerts fit. */
export interface QueueMetrics {
  readonly depth: GaugeSeries;
  readonly adds: CounterSeries;
  readonly retries: CounterSeries;
  readonly queueDuration: HistogramSeries;
  readonly workDuration: HistogramSeries;
  readonly unfinishedWork: GaugeSeries;
  readonly longestRunning: GaugeSeries;
}

/** The series of the queue `name` in a registry. */
export function queueMetrics(registry: MetricRegistry, name: string): QueueMetrics {
  const labels = ['name'];
  const counter = (metric: string, help: string) => registry.counter({ name: metric, help, labels }).labels(name);
  const gauge = (metric: string, help: string) => registry.gauge({ name: metric, help, labels }).labels(name);
  const histogram = (metric: string, help: string) =>
    registry.histogram({ name: metric, help, labels, buckets }).labels(name);
  return {
    depth: gauge('workqueue_depth', 'Current depth of the work queue'),
    adds: counter('workqueue_adds_total', 'Keys added to the work queue'),
    retries: counter('workqueue_retries_total', 'Rate-limited additions to the work queue'),
    queueDuration: histogram(
      'workqueue_queue_duration_seconds',
      'Seconds for which a key waits before it is processed',
    ),
    workDuration: histogram('workqueue_work_duration_seconds', 'Seconds for which a key is processed'),
    unfinishedWork: gauge(
      'workqueue_unfinished_work_seconds',
      'Seconds of work in progress that work_duration does not include yet; growing values mean stuck keys',
    ),
    longestRunning: gauge(
      'workqueue_longest_running_processor_seconds',
      'Seconds for which the longest-running key has been processed',
    ),
  };
}
