// SPDX-License-Identifier: Apache-2.0
import type { Counter } from '../metrics/counter.ts';
import type { Histogram } from '../metrics/histogram.ts';
import type { MetricRegistry } from '../metrics/registry.ts';

/** The metrics of reflectors, by resource. */
export interface ReflectorMetrics {
  readonly lists: Counter;
  readonly listDuration: Histogram;
  readonly watches: Counter;
  readonly shortWatches: Counter;
  readonly events: Counter;
  readonly problems: Counter;
  readonly replaced: Counter;
}

export function reflectorMetrics(registry: MetricRegistry): ReflectorMetrics {
  const labels = ['resource'];
  return {
    lists: registry.counter({ name: 'reflector_lists_total', help: 'Complete lists started', labels }),
    listDuration: registry.histogram({
      name: 'reflector_list_duration_seconds',
      help: 'Seconds until a complete list was received',
      labels,
    }),
    watches: registry.counter({ name: 'reflector_watches_total', help: 'Watches opened', labels }),
    shortWatches: registry.counter({
      name: 'reflector_short_watches_total',
      help: 'Watches that the API server ended immediately',
      labels,
    }),
    events: registry.counter({ name: 'reflector_events_total', help: 'Objects received', labels }),
    problems: registry.counter({
      name: 'reflector_problems_total',
      help: 'Failures while listing and watching, by kind',
      labels: [...labels, 'problem'],
    }),
    replaced: registry.counter({
      name: 'reflector_worlds_replaced_total',
      help: "Number of times that the API server's data was found to be lost, restored or replaced",
      labels,
    }),
  };
}
