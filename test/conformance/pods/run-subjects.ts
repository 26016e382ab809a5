// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, describe, test, vi } from 'vitest';
import type { Backend } from '../backend.ts';
import { expectToPass } from '../limits.ts';
import { podSubjects } from './cases/index.ts';
import { type PodCase, PodTrial } from './pod-trial.ts';

// Most of a case is waiting for containers.
vi.setConfig({ maxConcurrency: 16 });

/** Declares all cases about Pods as tests for one server. @param name the name of the column */
export function runPodSubjects(name: string, start: () => Promise<Backend>): void {
  describe.each([name])('%s', () => {
    let backend: Backend | undefined;
    beforeAll(async () => {
      backend = await start();
    });
    afterAll(() => backend?.[Symbol.asyncDispose]());

    const run = async (body: PodCase) => {
      if (backend === undefined) throw new Error(`${name} did not start`);
      await using trial = new PodTrial(backend);
      await body(trial);
    };

    const subjects = podSubjects.map((subject) => [subject.name, subject.cases] as const);
    describe.concurrent.each(subjects)('%s', (subject, cases) => {
      test.each(Object.entries(cases))('%s', (sentence, body) =>
        expectToPass({ server: name, subject, sentence }, () => run(body)),
      );
    });
  });
}
