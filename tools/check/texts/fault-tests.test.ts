// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { problemsWith, source } from '../fixture-tree.ts';
import { faultsAreCaused } from './fault-tests.ts';

const page = 'docs/rules/faults.md';
const entries = (...numbers: readonly string[]) =>
  numbers
    .map((number) => `### fault ${number}: name-${number.toLowerCase()}\n\nIt goes wrong. It is right again.\n`)
    .join('\n');
/** Split, so that this file causes no fault. */
const named = (what: string, numbers: string) => source(`test('${what} ${numbers}: something', () => {});`);
const lab = 'apps/operator/src/trial.lab.test.ts';
const onControlPlane = 'apps/operator/src/cluster/lifecycle.lab.test.ts';

test('a fault of clusters needs a test with real processes, one of caches any test', async () => {
  const files = {
    [page]: entries('1', '2', 'R1', 'R2'),
    [lab]: named('[7] fault', '1'),
    'apps/operator/src/trial.test.ts': named('faults', 'R1 and 2'),
  };
  const problems = await problemsWith(faultsAreCaused, files);
  expect(problems.map(({ rule, line, message }) => [rule, line, message.slice(0, 35)])).toEqual([
    ['fault-without-test', 5, 'no lab test is called "fault 2: ..."'.slice(0, 35)],
    ['fault-without-test', 13, 'no test is called "fault R2: ..." (name-r2)'.slice(0, 35)],
  ]);
});

test('a number that is left out is named', async () => {
  const problems = await problemsWith(faultsAreCaused, {
    [page]: entries('1', '3'),
    [lab]: named('faults', '1 and 3'),
  });
  expect(problems).toEqual([
    expect.objectContaining({ rule: 'fault-left-out', message: expect.stringContaining('no fault 2') }),
  ]);
});

test('a fault with the mark needs a test on a real control plane or a real Kubernetes', async () => {
  const problems = await problemsWith(faultsAreCaused, {
    [page]: entries('1', '2', '3').replaceAll('It goes wrong', '● It goes wrong'),
    [lab]: named('faults', '1, 2 and 3'),
    [onControlPlane]: named('fault', '2'),
    'test/e2e/trial.e2e.test.ts': named('fault', '3'),
  });
  expect(problems).toEqual([
    expect.objectContaining({ rule: 'fault-not-on-control-plane', message: expect.stringContaining('fault 1') }),
  ]);
});
