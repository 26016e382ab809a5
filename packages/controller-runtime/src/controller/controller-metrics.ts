// SPDX-License-Identifier: Apache-2.0
import type { CounterSeries } from '../metrics/counter.ts';
import type { GaugeSeries } from '../metrics/gauge.ts';
import type { HistogramSeries } from '../metrics/histogram.ts';
import type { MetricRegistry } from '../metrics/registry.ts';

/** How a reconcile can end, as the label `result`. */
export type ReconcileOutcome = 'success' | 'requeue' | 'requeue_after' | 'error' | 'terminal';

/** What one controller reports, under the names controller-runtime uses where it has one. */
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
    help: 'Reconciles by how they ended',
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
    errors: counter('controller_runtime_reconcile_errors_total', 'Reconciles that failed'),
    terminalErrors: counter('controller_runtime_terminal_reconcile_errors_total', 'Reconciles that failed for good'),
    duration: registry
      .histogram({ name: 'controller_runtime_reconcile_time_seconds', help: 'How long reconciles take', labels })
      .labels(controller),
    maxConcurrent: gauge('controller_runtime_max_concurrent_reconciles', 'Reconciles that may run side by side'),
    activeWorkers: gauge('controller_runtime_active_workers', 'Reconciles under way'),
    stuck: gauge('controller_runtime_stuck_reconciles', 'Reconciles that have been under way for too long'),
    heldBack: counter(
      'controller_runtime_reconciles_held_back_total',
      'Reconciles put off until the cache has seen the last write of their request',
    ),
  };
}
