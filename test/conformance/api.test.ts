// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { Backend, BackendName } from './backend.ts';
import { startLabBackend } from './backend-lab.ts';
import { startRealBackend } from './backend-real.ts';
import { subjects } from './cases/index.ts';
import { type Case, Trial } from './trial.ts';

const start: Readonly<Record<BackendName, () => Promise<Backend>>> = {
  lab: startLabBackend,
  'kube-apiserver': startRealBackend,
};

const chosen = (process.env['CONFORMANCE_BACKENDS'] ?? 'lab,kube-apiserver').split(',') as BackendName[];

describe.each(chosen)('%s', (name) => {
  let backend: Backend | undefined;
  beforeAll(async () => {
    backend = await start[name]();
  });
  afterAll(() => backend?.[Symbol.asyncDispose]());

  const expectToPass = async (body: Case) => {
    if (backend === undefined) throw new Error(`${name} did not start`);
    await using trial = new Trial(backend);
    await body(trial);
  };

  describe.each(subjects.map(({ name, ...subject }) => [name, subject] as const))('%s', (_name, { cases, alone }) => {
    test.each(Object.entries(cases))('%s', { concurrent: !alone }, (_sentence, body) => expectToPass(body));
  });
});
