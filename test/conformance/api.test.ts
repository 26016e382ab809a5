// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, describe, test, vi } from 'vitest';
import type { Backend, BackendName } from './backend.ts';
import { startLabBackend } from './backend-lab.ts';
import { startRealBackend } from './backend-real.ts';
import { subjects } from './cases/index.ts';
import { expectToPass } from './limits.ts';
import { type Case, Trial } from './trial.ts';

type ApiBackend = Exclude<BackendName, 'kubelet'>;

const start: Readonly<Record<ApiBackend, () => Promise<Backend>>> = {
  lab: startLabBackend,
  'kube-apiserver': () => startRealBackend(),
};

const chosen = (process.env['CONFORMANCE_BACKENDS'] ?? 'lab,kube-apiserver').split(',') as ApiBackend[];

vi.setConfig({ maxConcurrency: 8 });

describe.each(chosen)('%s', (name) => {
  let backend: Backend | undefined;
  beforeAll(async () => {
    backend = await start[name]();
  });
  afterAll(() => backend?.[Symbol.asyncDispose]());

  const run = async (body: Case) => {
    if (backend === undefined) throw new Error(`${name} did not start`);
    await using trial = new Trial(backend);
    await body(trial);
  };

  describe.each(subjects.map((subject) => [subject.name, subject] as const))('%s', (subject, { cases, alone }) => {
    test.each(Object.entries(cases))('%s', { concurrent: !alone }, (sentence, body) =>
      expectToPass({ server: name, subject, sentence }, () => run(body)),
    );
  });
});
