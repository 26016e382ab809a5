// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import type { JobCase } from './job-trial.ts';

/** Jobs as the tutorials use them. */
export const jobCases: Readonly<Record<string, JobCase>> = {
  'a Job selects its Pods by a label with its UID, which it adds itself': async (t) => {
    await t.startJob({});
    const { metadata, spec } = await t.job();
    const uid = metadata?.uid ?? '';
    expect(spec?.selector?.matchLabels).toEqual({ 'batch.kubernetes.io/controller-uid': uid });
    expect(spec?.template.metadata?.labels).toMatchObject({ 'controller-uid': uid, 'job-name': 'j' });
    const [pod] = await t.activePods(1);
    expect(pod?.metadata.labels).toMatchObject({ 'batch.kubernetes.io/controller-uid': uid, 'job-name': 'j' });
    expect(await t.event('Job', 'SuccessfulCreate')).toBe(`Created pod: ${pod?.metadata.name}`);
  },
  'with completions 4 and parallelism 2, two Pods run at once and four in all': async (t) => {
    await t.startJob({ completions: 4, parallelism: 2 });
    for (const left of [4, 3, 2, 1]) {
      const [pod] = await t.activePods(Math.min(2, left));
      await t.finish(pod, 'Succeeded');
      await t.jobWhen(({ status }) => status?.succeeded === 5 - left);
    }
    expect(await t.end()).toBe('Complete: CompletionsReached');
    expect((await t.list(await t.path('pods'))).items).toHaveLength(4);
  },
  'with parallelism alone, no Pod is started once one has succeeded, and the others decide when it ends': async (t) => {
    await t.startJob({ parallelism: 2 });
    const [first, second] = await t.activePods(2);
    await t.finish(first, 'Succeeded');
    await t.jobWhen(({ status }) => status?.succeeded === 1 && status.active === 1);
    await t.finish(second, 'Succeeded');
    expect(await t.end()).toBe('Complete: CompletionsReached');
    expect((await t.list(await t.path('pods'))).items).toHaveLength(2);
  },
  'a Pod that fails is replaced by a new one, as often as backoffLimit says': async (t) => {
    await t.startJob({ backoffLimit: 1 });
    const [first] = await t.activePods(1);
    await t.finish(first, 'Failed');
    await t.jobWhen(({ status }) => status?.failed === 1);
    const [second] = await t.activePods(1);
    expect(second?.metadata.name).not.toBe(first?.metadata.name);
    await t.finish(second, 'Failed');
    expect(await t.end()).toBe('Failed: BackoffLimitExceeded');
    expect(await t.event('Job', 'BackoffLimitExceeded')).toBe('Job has reached the specified backoff limit');
  },
  'the Pod after a failure waits about ten seconds': async (t) => {
    await t.startJob({ backoffLimit: 4 });
    const [first] = await t.activePods(1);
    await t.finish(first, 'Failed');
    await t.jobWhen(({ status }) => status?.failed === 1);
    const failed = performance.now();
    await t.activePods(1);
    expect(performance.now() - failed).toBeGreaterThan(7_000);
  },
  'past activeDeadlineSeconds the Job has failed and its Pods are deleted': async (t) => {
    await t.startJob({ backoffLimit: 5, activeDeadlineSeconds: 2 });
    await t.activePods(1);
    expect(await t.end()).toBe('Failed: DeadlineExceeded');
    await t.activePods(0);
    expect(await t.event('Job', 'DeadlineExceeded')).toBe('Job was active longer than specified deadline');
  },
};
