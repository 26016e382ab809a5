// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { refusalOf, successOf } from '../../answer.ts';
import { invalid } from '../../invalid.ts';
import type { Subject, Trial } from '../../trial.ts';

const appsIn = (ns: string) => `/apis/apps/v1/namespaces/${ns}`;
const batchIn = (ns: string) => `/apis/batch/v1/namespaces/${ns}`;
const labels = { app: 'a' };
const selector = { matchLabels: labels };
const podSpec = { containers: [{ name: 'c', image: 'i' }] };
const template = { metadata: { labels }, spec: podSpec };
const once = { spec: { ...podSpec, restartPolicy: 'Never' } };
const named = (spec: object, name = 'w') => ({ metadata: { name }, spec });

/** The stored form of a pod template. */
const fullSpec = {
  containers: [
    {
      name: 'c',
      image: 'i',
      resources: {},
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      imagePullPolicy: 'Always',
    },
  ],
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
};
const fullTemplate = { metadata: { labels }, spec: fullSpec };
const notNegative = 'Invalid value: -1: must be greater than or equal to 0';

async function refused(t: Trial, resource: 'deployments' | 'statefulsets', spec: object) {
  return refusalOf(await t.post(`${appsIn(await t.namespace())}/${resource}`, named(spec)));
}

async function refusedBatch(t: Trial, resource: 'jobs' | 'cronjobs', spec: object) {
  return refusalOf(await t.post(`${batchIn(await t.namespace())}/${resource}`, named(spec)));
}

/** Deployments, ReplicaSets, StatefulSets, Jobs and CronJobs: defaults, validation, immutable fields. */
export const workloads: Subject = {
  name: 'workloads',
  cases: {
    'a Deployment is completed': async (t) => {
      const ns = await t.namespace();
      const made = await t.make(`${appsIn(ns)}/deployments`, named({ selector, template }));
      expect(made.spec).toEqual({
        replicas: 1,
        selector,
        template: fullTemplate,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
      });
      expect(made.status).toEqual({});
      expect(made.metadata.generation).toBe(1);
    },
    'the generation of a Deployment counts changes of its spec': async (t) => {
      const ns = await t.namespace();
      const path = `${appsIn(ns)}/deployments`;
      await t.make(path, named({ selector, template }));
      const generation = async (patch: object) =>
        successOf(await t.patch(`${path}/w`, 'merge', patch)).metadata.generation;
      expect(await generation({ metadata: { annotations: { a: 'b' } } })).toBe(2);
      expect(await generation({ metadata: { labels: { a: 'b' } } })).toBe(2);
      expect(await generation({ spec: { replicas: 3 } })).toBe(3);
    },
    'the selector of a Deployment must match its template': async (t) => {
      expect(await refused(t, 'deployments', { selector: { matchLabels: { app: 'b' } }, template })).toEqual(
        invalid(
          'Deployment.apps',
          'w',
          'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
        ),
      );
    },
    'the selector of a Deployment is required and stays': async (t) => {
      expect(await refused(t, 'deployments', { template })).toEqual(
        invalid(
          'Deployment.apps',
          'w',
          'spec.selector: Required value',
          'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
        ),
      );
      const ns = await t.namespace();
      const path = `${appsIn(ns)}/deployments`;
      const wider = { metadata: { labels: { ...labels, more: 'x' } }, spec: podSpec };
      await t.make(path, named({ selector, template: wider }));
      const patch = { spec: { selector: { matchLabels: { more: 'x' } } } };
      expect(refusalOf(await t.patch(`${path}/w`, 'merge', patch))).toEqual(
        invalid(
          'Deployment.apps',
          'w',
          'spec.selector: Invalid value: {"matchLabels":{"app":"a","more":"x"}}: field is immutable',
        ),
      );
    },
    'numbers and strategies of a Deployment are checked': async (t) => {
      expect(await refused(t, 'deployments', { replicas: -1, strategy: { type: 'Nope' }, selector, template })).toEqual(
        invalid(
          'Deployment.apps',
          'w',
          ['spec.replicas', 'Invalid', notNegative],
          'spec.strategy: Unsupported value: {"Type":"Nope","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
        ),
      );
      const strategy = { rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } };
      expect(await refused(t, 'deployments', { strategy, selector, template })).toEqual(
        invalid(
          'Deployment.apps',
          'w',
          'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0',
        ),
      );
    },
    'the Pods of a Deployment are always restarted': async (t) => {
      const never = { metadata: { labels }, spec: { ...podSpec, restartPolicy: 'Never' } };
      expect(await refused(t, 'deployments', { selector, template: never })).toEqual(
        invalid(
          'Deployment.apps',
          'w',
          'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        ),
      );
    },
    'a StatefulSet is completed, with its claims': async (t) => {
      const ns = await t.namespace();
      const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
      const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec: claim }];
      const made = await t.make(
        `${appsIn(ns)}/statefulsets`,
        named({ serviceName: 's', selector, template, volumeClaimTemplates }),
      );
      expect(made.spec).toEqual({
        replicas: 1,
        selector,
        template: fullTemplate,
        volumeClaimTemplates: [
          {
            kind: 'PersistentVolumeClaim',
            apiVersion: 'v1',
            metadata: { name: 'data' },
            spec: { ...claim, volumeMode: 'Filesystem' },
            status: { phase: 'Pending' },
          },
        ],
        serviceName: 's',
        podManagementPolicy: 'OrderedReady',
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
        revisionHistoryLimit: 10,
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      });
    },
    'most of a StatefulSet stays as it is': async (t) => {
      const ns = await t.namespace();
      const path = `${appsIn(ns)}/statefulsets`;
      await t.make(path, named({ serviceName: 's', selector, template }));
      const rule =
        "Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
      expect(refusalOf(await t.patch(`${path}/w`, 'merge', { spec: { serviceName: 'other' } }))).toEqual(
        invalid('StatefulSet.apps', 'w', ['spec', 'Forbidden', rule]),
      );
      const changes = { replicas: 3, minReadySeconds: 5, template: { metadata: { annotations: { a: 'b' } } } };
      expect((await t.patch(`${path}/w`, 'merge', { spec: changes })).code).toBe(200);
    },
    'a ReplicaSet is completed': async (t) => {
      const ns = await t.namespace();
      const made = await t.make(`${appsIn(ns)}/replicasets`, named({ selector, template }));
      expect(made.spec).toEqual({ replicas: 1, selector, template: fullTemplate });
      expect(made.status).toEqual({ replicas: 0 });
    },
    'a Job is completed, and labels its Pods with its UID': async (t) => {
      const ns = await t.namespace();
      const made = await t.make(`${batchIn(ns)}/jobs`, named({ template: once }));
      const { uid } = made.metadata;
      const own = {
        'batch.kubernetes.io/controller-uid': uid,
        'batch.kubernetes.io/job-name': 'w',
        'controller-uid': uid,
        'job-name': 'w',
      };
      expect(made.spec).toEqual({
        parallelism: 1,
        completions: 1,
        backoffLimit: 6,
        selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
        manualSelector: false,
        template: { metadata: { labels: own }, spec: { ...fullSpec, restartPolicy: 'Never' } },
        completionMode: 'NonIndexed',
        suspend: false,
        podReplacementPolicy: 'TerminatingOrFailed',
      });
      expect(made.metadata.labels).toEqual(own);
      expect(made.status).toEqual({});
    },
    'a Job must say what becomes of Pods that end': async (t) => {
      expect(await refusedBatch(t, 'jobs', { template })).toEqual(
        invalid(
          'Job.batch',
          'w',
          'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
        ),
      );
    },
    'numbers of a Job are checked, and most of it stays': async (t) => {
      const spec = { parallelism: -1, completions: -1, activeDeadlineSeconds: -1, backoffLimit: -1 };
      expect(await refusedBatch(t, 'jobs', { ...spec, template: once })).toEqual(
        invalid(
          'Job.batch',
          'w',
          ['spec.parallelism', 'Invalid', notNegative],
          ['spec.completions', 'Invalid', notNegative],
          ['spec.activeDeadlineSeconds', 'Invalid', notNegative],
          ['spec.backoffLimit', 'Invalid', notNegative],
        ),
      );
      const ns = await t.namespace();
      const path = `${batchIn(ns)}/jobs`;
      await t.make(path, named({ template: once }));
      expect(refusalOf(await t.patch(`${path}/w`, 'merge', { spec: { completions: 5 } }))).toEqual(
        invalid('Job.batch', 'w', 'spec.completions: Invalid value: 5: field is immutable'),
      );
      expect((await t.patch(`${path}/w`, 'merge', { spec: { parallelism: 5, suspend: true } })).code).toBe(200);
    },
    'a Job that is deleted plainly leaves its Pods to the collector': async (t) => {
      const ns = await t.namespace();
      const path = `${batchIn(ns)}/jobs`;
      await t.make(path, named({ template: once }));
      const { body, headers } = await t.delete(`${path}/w`);
      expect(body.metadata.finalizers).toEqual(['orphan']);
      expect(headers['warning']).toMatch(/^299 - "child pods are preserved by default when jobs are deleted; /);
    },
    'a CronJob is completed': async (t) => {
      const ns = await t.namespace();
      const jobTemplate = { spec: { template: once } };
      const made = await t.make(`${batchIn(ns)}/cronjobs`, named({ schedule: '@hourly', jobTemplate }));
      expect(made.spec).toEqual({
        schedule: '@hourly',
        concurrencyPolicy: 'Allow',
        suspend: false,
        jobTemplate: {
          metadata: {},
          spec: { template: { metadata: {}, spec: { ...fullSpec, restartPolicy: 'Never' } } },
        },
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
      });
    },
    'a schedule, its zone and its policy are checked': async (t) => {
      const jobTemplate = { spec: { template: once } };
      expect(await refusedBatch(t, 'cronjobs', { schedule: '* * *', jobTemplate })).toEqual(
        invalid(
          'CronJob.batch',
          'w',
          'spec.schedule: Invalid value: "* * *": expected exactly 5 fields, found 3: [* * *]',
        ),
      );
      const spec = { schedule: '*/5 * * * *', timeZone: 'Mars/Base', concurrencyPolicy: 'Nope', jobTemplate };
      expect(await refusedBatch(t, 'cronjobs', spec)).toEqual(
        invalid(
          'CronJob.batch',
          'w',
          'spec.timeZone: Invalid value: "Mars/Base": unknown time zone Mars/Base',
          'spec.concurrencyPolicy: Unsupported value: "Nope": supported values: "Allow", "Forbid", "Replace"',
        ),
      );
    },
    'a disruption budget needs one of two numbers': async (t) => {
      const ns = await t.namespace();
      const path = `/apis/policy/v1/namespaces/${ns}/poddisruptionbudgets`;
      expect(refusalOf(await t.post(path, named({ minAvailable: 1, maxUnavailable: 1, selector })))).toEqual(
        invalid(
          'PodDisruptionBudget.policy',
          'w',
          'spec: Invalid value: {"MinAvailable":1,"Selector":{"matchLabels":{"app":"a"}},"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
        ),
      );
      const made = await t.make(path, named({ maxUnavailable: '50%', selector }));
      expect(made.spec).toEqual({ maxUnavailable: '50%', selector });
      expect(made.status).toEqual({ disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 });
    },
  },
};
