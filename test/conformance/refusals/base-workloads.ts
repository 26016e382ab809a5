// SPDX-License-Identifier: Apache-2.0
import { claimSpec, inNamespace, selector } from './base-parts.ts';
import { lastingSpec, podSpec } from './base-pod.ts';
import type { BaseObject } from './refused.ts';

const jobSpec = {
  parallelism: 2,
  completions: 3,
  backoffLimit: 4,
  activeDeadlineSeconds: 100,
  ttlSecondsAfterFinished: 10,
  completionMode: 'Indexed',
  suspend: false,
  podFailurePolicy: {
    rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
  },
  template: { metadata: { labels: { a: 'b' } }, spec: { ...podSpec, restartPolicy: 'Never' } },
};

/** Valid Pods and workloads. */
export const baseWorkloads = {
  pod: (ns) => inNamespace(ns, 'v1/pods', 'Pod', { spec: podSpec }),
  deployment: (ns) =>
    inNamespace(ns, 'apps/v1/deployments', 'Deployment', {
      spec: {
        replicas: 2,
        minReadySeconds: 3,
        revisionHistoryLimit: 4,
        progressDeadlineSeconds: 20,
        paused: true,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: '20%' } },
        selector: selector,
        template: { metadata: { labels: { app: 'x' }, annotations: { a: 'b' } }, spec: lastingSpec },
      },
    }),
  statefulset: (ns) =>
    inNamespace(ns, 'apps/v1/statefulsets', 'StatefulSet', {
      spec: {
        serviceName: 's',
        replicas: 2,
        podManagementPolicy: 'Parallel',
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
        minReadySeconds: 2,
        ordinals: { start: 1 },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
        volumeClaimTemplates: [{ metadata: { name: 'data', labels: { a: 'b' } }, spec: claimSpec }],
        selector: selector,
        template: { metadata: { labels: { app: 'x' }, annotations: { a: 'b' } }, spec: lastingSpec },
      },
    }),
  job: (ns) => inNamespace(ns, 'batch/v1/jobs', 'Job', { spec: jobSpec }),
  cronjob: (ns) =>
    inNamespace(ns, 'batch/v1/cronjobs', 'CronJob', {
      spec: {
        schedule: '*/5 * * * *',
        timeZone: 'Europe/Berlin',
        concurrencyPolicy: 'Forbid',
        startingDeadlineSeconds: 10,
        successfulJobsHistoryLimit: 1,
        failedJobsHistoryLimit: 2,
        suspend: true,
        jobTemplate: {
          metadata: { labels: { a: 'b' } },
          spec: jobSpec,
        },
      },
    }),
} satisfies Record<string, BaseObject>;
