// SPDX-License-Identifier: Apache-2.0
/** The behaviour of Jobs and CronJobs: kube-lab's controllers and a real kube-controller-manager. */
import { readFile } from 'node:fs/promises';
import { startLab } from '@operator-parts/kube-lab';
import { afterAll, beforeAll, describe, test, vi } from 'vitest';
import type { Backend } from '../backend.ts';
import { reach } from '../backend-lab.ts';
import { startRealBackend } from '../backend-real.ts';
import { targetOf } from '../kubeconfig.ts';
import { expectToPass } from '../limits.ts';
import { cronJobCases } from './cron-job-cases.ts';
import { jobCases } from './job-cases.ts';
import { JobTrial } from './job-trial.ts';

/** Without a node: the cases write the status of Pods themselves, so that both servers see the same. */
async function startLabControllers(): Promise<Backend> {
  const lab = await startLab({ nodes: 0 });
  return {
    name: 'lab',
    patience: 60_000,
    ...reach(targetOf(await readFile(lab.kubeconfigPath, 'utf8'))),
    compact: () => Promise.reject(new Error('no case about Jobs needs this')),
    [Symbol.asyncDispose]: () => lab.stop(),
  };
}

const start: Readonly<Record<string, () => Promise<Backend>>> = {
  lab: startLabControllers,
  'kube-apiserver': () => startRealBackend(['job-controller', 'cronjob-controller']),
};

const chosen = (process.env['CONFORMANCE_BACKENDS'] ?? 'lab,kube-apiserver').split(',');

vi.setConfig({ maxConcurrency: 8 });

describe.each(chosen)('%s', (name) => {
  let backend: Backend | undefined;
  beforeAll(async () => {
    backend = await start[name]?.();
  });
  afterAll(() => backend?.[Symbol.asyncDispose]());

  describe.each([
    ['jobs', jobCases],
    ['cron jobs', cronJobCases],
  ] as const)('%s', (subject, cases) => {
    test.concurrent.each(Object.entries(cases))('%s', (sentence, body) =>
      expectToPass({ server: name, subject, sentence }, async () => {
        if (backend === undefined) throw new Error(`${name} did not start`);
        await using trial = new JobTrial(backend);
        await body(trial);
      }),
    );
  });
});
