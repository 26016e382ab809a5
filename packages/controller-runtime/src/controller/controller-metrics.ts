// SPDX-License-Identifier: Apache-2.0
import type { CounterSeries } from '../metrics/counter.ts';
import type { GaugeSeries } from '../metrics/gauge.ts';
import type { HistogramSeries } from '../metrics/histogram.ts';
import type { MetricRegistry } from '../metrics/registry.ts';

/** How a reconcile can end: the values of the label `result`. */
export type ReconcileOutcome = 'success' | 'requeue' | 'requeue_after' | 'error' | 'terminal';

/** The metrics of one controller, with the names that controller-runtime uses where it has them. */
export interface ControllerMetrics {
  readonly total: Readonly<Record<ReconcileOutcome, CounterSeries>>;
  readonly errors: CounterSeries;
  readonly terminalErrors: CounterSeries;
  readonly duration: HistogramSeries;
  readonly maxConcurrent: GaugeSeries;
  readonly activeWorkers: GaugeSeries;
  readonly stuck: GaugeSeries;
  readonly heldBack: CounterSeries;
}

export function controllerMetrics(registry: MetricRegistry, controller: string): ControllerMetrics {
  const labels = ['controller'];
  const counter = (name: string, help: string) => registry.counter({ name, help, labels }).labels(controller);
  const gauge = (name: string, help: string) => registry.gauge({ name, help, labels }).labels(controller);
  const total = registry.counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciliations, by result',
    labels: [...labels, 'result'],
  });
  return {
    total: {
      success: total.labels(controller, 'success'),
      requeue: total.labels(controller, 'requeue'),
      requeue_after: total.labels(controller, 'requeue_after'),
      error: total.labels(controller, 'error'),
      terminal: total.labels(controller, 'terminal'),
    },
    errors: counter('controller_runtime_reconcile_errors_total', 'Failed reconciliations'),
    terminalErrors: counter(
      'controller_runtime_terminal_reconcile_errors_total',
      'Reconciliations that failed with an error that is not retried',
    ),
    duration: registry
      .histogram({
        name: 'controller_runtime_reconcile_time_seconds',
        help: 'Duration of reconciliations, in seconds',
        labels,
      })
      .labels(controller),
    maxConcurrent: gauge(
      'controller_runtime_max_concurrent_reconciles',
      'Maximum number of concurrent reconciliations',
    ),
    activeWorkers: gauge('controller_runtime_active_workers', 'Reconciliations in progress'),
    stuck: gauge('controller_runtime_stuck_reconciles', 'Reconciliations that have been running for too long'),
    heldBack: counter(
      'controller_runtime_reconciles_held_back_total',
      'Reconciliations postponed until the cache contains the last write to the same object',
    ),
  };
}
