// SPDX-License-Identifier: Apache-2.0
import type { Counter } from '../metrics/counter.ts';
import type { GaugeSeries } from '../metrics/gauge.ts';
import type { Histogram } from '../metrics/histogram.ts';
import type { MetricRegistry } from '../metrics/registry.ts';

/** The metrics of a webhook server, with the names that controller-runtime uses where it has them. */
export interface WebhookMetrics {
  readonly requests: Counter;
  readonly latency: Histogram;
  readonly inFlight: GaugeSeries;
  readonly reloads: Counter;
}

export function webhookMetrics(registry: MetricRegistry): WebhookMetrics {
  return {
    requests: registry.counter({
      name: 'controller_runtime_webhook_requests_total',
      help: 'Reviews answered, by HTTP status',
      labels: ['webhook', 'code'],
    }),
    latency: registry.histogram({
      name: 'controller_runtime_webhook_latency_seconds',
      help: 'Duration of reviews, in seconds',
      labels: ['webhook'],
    }),
    inFlight: registry
      .gauge({ name: 'controller_runtime_webhook_requests_in_flight', help: 'Reviews that are being processed' })
      .labels(),
    reloads: registry.counter({
      name: 'controller_runtime_webhook_certificate_loads_total',
      help: 'Attempts to load the serving certificate, by outcome',
      labels: ['result'],
    }),
  };
}
