// SPDX-License-Identifier: Apache-2.0
/**
 * The building blocks of Kubernetes controllers, in reading order:
 *
 * - `reflector/` lists and watches one kind, and recovers from every failure of server and network;
 * - `store/` keeps the objects: one writer, many readers, with indexes and listers;
 * - `informer/` combines the two and calls any number of handlers, isolated from each other;
 * - `queue/` is the work queue between handlers and workers;
 * - `controller/` reconciles: the `Reconciler`, the builder, results, predicates, owner references;
 * - `manager/` owns all of it, starts it in order and stops it in reverse;
 * - `leader-election/` lets one of several processes work;
 * - `events/` and `conditions/` report the results to users and programs;
 * - `admission/` serves admission and conversion webhooks;
 * - `metrics/` is a small Prometheus registry.
 */
export type {
  AdmissionRequest,
  AdmissionResponse,
  AdmissionReview,
  AdmissionUser,
  GroupVersionKind,
  GroupVersionResource,
} from './admission/admission-review.ts';
export { type Mutator, mutatingWebhook, type Validator, validatingWebhook } from './admission/admission-webhook.ts';
export { type Certificate, type CertificateSource, certificateFiles } from './admission/certificate.ts';
export { type Converter, conversionWebhook } from './admission/conversion-webhook.ts';
export {
  type Allowed,
  allow,
  type Changed,
  change,
  type Denied,
  deny,
  type Mutation,
  type Verdict,
} from './admission/verdict.ts';
export type { WebhookContext, WebhookHandler } from './admission/webhook.ts';
export { WebhookError, type WebhookErrorCode } from './admission/webhook-error.ts';
export { WebhookServer, type WebhookServerOptions } from './admission/webhook-server.ts';
export {
  type Condition,
  type ConditionStatus,
  findCondition,
  isConditionTrue,
  type NewCondition,
  removeCondition,
  setCondition,
  setConditions,
} from './conditions/conditions.ts';
export {
  type BuildOptions,
  buildController,
  type ControllerBuilder,
  type SourceOptions,
} from './controller/builder.ts';
export { Controller, type ControllerOptions } from './controller/controller.ts';
export { enqueueFrom, type MapFunction } from './controller/enqueue.ts';
export {
  addFinalizerPatch,
  hasFinalizer,
  isBeingDeleted,
  removeFinalizerPatch,
} from './controller/finalizer.ts';
export { controllerOf, isControlledBy, refersTo, setControllerReference } from './controller/owner-reference.ts';
export {
  allOf,
  annotationsChanged,
  anyOf,
  deletionRequested,
  generationChanged,
  labelsChanged,
  matching,
  not,
  type Predicate,
} from './controller/predicate.ts';
export type { ReconcileContext, ReconcileFunction, Reconciler, Request } from './controller/reconciler.ts';
export { done, isTerminal, type Result, requeue, requeueAfter, TerminalError, terminal } from './controller/result.ts';
export { type Duration, milliseconds } from './duration.ts';
export { type EventObject, type EventType, referenceTo } from './events/event.ts';
export { type EventRecorder, EventWriter, type EventWriterOptions } from './events/event-recorder.ts';
export type { EventHandler, Occasion } from './informer/event-handler.ts';
export {
  type HandlerOptions,
  type HandlerRegistration,
  Informer,
  type InformerOptions,
  type InformerSelection,
} from './informer/informer.ts';
export type { InformerRequest } from './informer/informer-pool.ts';
export type { InformerStatus } from './informer/informer-status.ts';
export { type ServerData, ServerDataInDoubt, type ServerDataListener } from './informer/server-data.ts';
export {
  type LeaderElectionOptions,
  LeaderElector,
  type LeaderElectorOptions,
} from './leader-election/leader-elector.ts';
export { LeadershipLost } from './leader-election/leadership-lost.ts';
export type { HealthCheck, HealthReport } from './manager/health.ts';
export type { HttpOptions } from './manager/http-endpoint.ts';
export { createManager, type Manager, type ManagerOptions } from './manager/manager.ts';
export type { Runnable } from './manager/runnable.ts';
export { Counter, CounterSeries } from './metrics/counter.ts';
export { Gauge, GaugeSeries } from './metrics/gauge.ts';
export { defaultBuckets, Histogram, type HistogramOptions, HistogramSeries } from './metrics/histogram.ts';
export { type FamilyOptions, MetricFamily } from './metrics/metric-family.ts';
export { metricsReaders } from './metrics/metrics-readers.ts';
export { MetricRegistry, metricsContentType } from './metrics/registry.ts';
export { type ReaderVerdict, SecureMetrics, type SecureMetricsOptions } from './metrics/secure-metrics.ts';
export type { Priority } from './queue/priority.ts';
export {
  defaultRateLimiter,
  exponentialPerKey,
  longestOf,
  type RateLimiter,
  tokenBucket,
} from './queue/rate-limiter.ts';
export { type AddOptions, WorkQueue, type WorkQueueOptions } from './queue/work-queue.ts';
export { Backoff, type BackoffOptions } from './reflector/backoff.ts';
export type { Problem, ProblemKind } from './reflector/problem.ts';
export { Reflector, type ReflectorOptions } from './reflector/reflector.ts';
export type { ReflectorSink } from './reflector/reflector-sink.ts';
export type { ReflectorState } from './reflector/reflector-state.ts';
export { isNotOlder } from './reflector/resource-version.ts';
export type { DeepReadonly } from './store/deep-readonly.ts';
export type { IndexFunction } from './store/indexer.ts';
export type { Lister, ListerSelection } from './store/lister.ts';
export type { Removal } from './store/removal.ts';
export { namespaceIndex, Store, type StoreListener, type StoreOptions } from './store/store.ts';
