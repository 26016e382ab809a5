// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { problemsWith, source } from '../fixture-tree.ts';
import { vocabulary } from './vocabulary.ts';

const file = 'apps/operator/src/cluster/plan/trial.ts';

describe('banned words', () => {
  test.each([
    ['founds', "'founds the cluster with its first member'"],
    ['next life', '`EtcdRestore r brings the next life`'],
    ['stranger', "'a stranger was added'"],
    ['somebody', "'it was added by somebody else'"],
    ['anew', '`the pod of $'.concat('{name} is made anew`')],
    ['disarmed', "'the pod is disarmed'"],
    ['behind the Services', "'it is taken from behind the Services'"],
    ['the original', "'pods of the original operator'"],
    ['silent', "'two voters are silent'"],
    ['1 healthy voters', '`only $'.concat('{n} healthy voters are there`')],
    ['1 of 1 voters', '`at step $'.concat('{step} $').concat('{n} of $').concat('{all} voters`')],
    ['1 are needed', '`a quorum: $'.concat('{n} are needed`')],
    ['as ever', "'accepted and without effect, as ever'"],
    ['is no JSON', "'the answer is no JSON'"],
    ['go together', "'--keep and --file do not go together'"],
    ['whoever', "'whoever wrote this key'"],
    ['called off', "'the backup was called off'"],
  ])('%s', async (_word, text) => {
    const problems = await problemsWith(vocabulary, { [file]: source(`\nexport const words = ${text};`) });
    expect(problems).toEqual([expect.objectContaining({ rule: 'no-private-dialect', file, line: 3 })]);
  });

  test.each([
    ['a word of etcd', "'All voters hold the same data. Disarming the alarm.'"],
    ['an identifier', "'latched'"],
    ['a comment', "'fine words' /* the founder is silent */"],
    ['what was found', "'no pod was found'"],
  ])('%s is none', async (_what, text) => {
    expect(await problemsWith(vocabulary, { [file]: source(`export const words = ${text};`) })).toEqual([]);
  });

  test.each(['backup', 'restore', 'storage'])('texts of %s are read by users, too', async (folder) => {
    const path = `apps/operator/src/${folder}/trial.ts`;
    const problems = await problemsWith(vocabulary, { [path]: source("\nexport const words = 'a silent stranger';") });
    expect(problems.map((problem) => problem.file)).toEqual([path, path]);
  });

  test.each(['apps/playground/src', 'packages/blob/src', 'packages/controller-runtime/src', 'packages/kube/src'])(
    'texts of %s are read by users, too',
    async (folder) => {
      const path = `${folder}/trial.ts`;
      const problems = await problemsWith(vocabulary, { [path]: source("\nexport const words = 'a silent store';") });
      expect(problems.map((problem) => problem.file)).toEqual([path]);
    },
  );

  test('names of tests and comments are for readers of the code: only unclear words are refused there', async () => {
    const path = 'apps/operator/src/cluster/trial.test.ts';
    const words = source("// A stranger.\nexport const words = 'a silent joiner is waited for';");
    const problems = await problemsWith(vocabulary, { [path]: words });
    expect(problems.map(({ line }) => line)).toEqual([2, 3]);
  });

  test.each(['packages/kube/src', 'tools/image', 'example/sidecar-injector/src', 'test/e2e'])(
    'vague words are refused in all code of %s',
    async (folder) => {
      const path = `${folder}/trial.test.ts`;
      const words = source("// Whoever calls.\nexport const words = 'the lease is mended, the call called off';");
      const problems = await problemsWith(vocabulary, { [path]: words });
      expect(problems.map(({ line }) => line)).toEqual([2, 3, 3]);
    },
  );
});
