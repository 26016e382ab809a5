// SPDX-License-Identifier: Apache-2.0
import { claimSpec, metadata, selector } from './base-parts.ts';
import { lastingSpec, podSpec } from './base-pod.ts';
import type { BaseObject } from './refused.ts';

/** Valid Pods and workloads. */
export const baseWorkloads = {
  pod: (ns) => ({
    path: `/api/v1/namespaces/${ns}/pods`,
    kind: 'Pod',
    object: { apiVersion: 'v1', kind: 'Pod', metadata: metadata, spec: podSpec },
  }),
  deployment: (ns) => ({
    path: `/apis/apps/v1/namespaces/${ns}/deployments`,
    kind: 'Deployment.apps',
    object: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: metadata,
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
    },
  }),
  statefulset: (ns) => ({
    path: `/apis/apps/v1/namespaces/${ns}/statefulsets`,
    kind: 'StatefulSet.apps',
    object: {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: metadata,
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
    },
  }),
  job: (ns) => ({
    path: `/apis/batch/v1/namespaces/${ns}/jobs`,
    kind: 'Job.batch',
    object: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: metadata,
      spec: {
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
      },
    },
  }),
  cronjob: (ns) => ({
    path: `/apis/batch/v1/namespaces/${ns}/cronjobs`,
    kind: 'CronJob.batch',
    object: {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: metadata,
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
          spec: {
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
          },
        },
      },
    },
  }),
} satisfies Record<string, BaseObject>;
