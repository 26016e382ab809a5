// SPDX-License-Identifier: Apache-2.0
import type { Benchmark } from './benchmark.ts';

/** All benchmarks in order. Each is loaded only when it is run, so that the imports of one do not affect another. */
export const benchmarks: Readonly<Record<string, () => Promise<Benchmark>>> = {
  B1: async () => (await import('./runtime/informer-sync.ts')).podSync,
  B2: async () => (await import('./runtime/informer-sync.ts')).clusterSync,
  B3: async () => (await import('./runtime/watch-lag.ts')).watchLag,
  B4: async () => (await import('./runtime/memory.ts')).memoryPerObject,
  B5: async () => (await import('./runtime/queue-throughput.ts')).queueThroughput,
  B6: async () => (await import('./runtime/reconcile-storm.ts')).reconcileStorm,
  B7: async () => (await import('./runtime/event-latency.ts')).eventLatency,
  LAB: async () => (await import('./kube-lab.ts')).kubeLab,
  B9: async () => (await import('./bootstrap/bootstrap.ts')).bootstrap,
  B10: async () => (await import('./heal/heal.ts')).heal,
  B10K: async () => (await import('./heal-on-cluster/heal-on-cluster.ts')).healOnCluster,
  LIFE: async () => (await import('./heal/lifecycle.ts')).lifecycle,
  B11: async () => (await import('./backup.ts')).backup,
  B12: async () => (await import('./fleet/fleet.ts')).fleet,
};
