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
    ['as ever', "'accepted as ever'"],
    ['is no JSON', "'the answer is no JSON'"],
    ['go together', "'--keep and --file do not go together'"],
    ['whoever', "'whoever wrote this key'"],
    ['called off', "'the backup was called off'"],
    ['without effect', "'this was done several times without effect'"],
    ['knows no leader', "'member a answers and knows no leader'"],
    ['tolerates no', "'an even number bears no more failures'"],
    ['the store', "'the store is full'"],
    ['proven', "'backup b is not proven'"],
    ['proof', "'the pod for the proof cannot be created'"],
    ['segment of changes', "'the segment of changes is damaged'"],
    ['the log of a member', "'the log of member a is not used'"],
    ['given it up', "'the operator has given it up'"],
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

  test.each(['packages/kube-lab/src', 'tools/deploy', 'tools/security', 'example/network-controller/src'])(
    'so are those of %s, except for numbers',
    async (folder) => {
      const path = `${folder}/trial.ts`;
      const text = '\nexport const words = `$'.concat('{n} pods and a silent store`;');
      const problems = await problemsWith(vocabulary, { [path]: source(text) });
      expect(problems).toEqual([expect.objectContaining({ file: path, message: expect.stringContaining('"silent"') })]);
    },
  );

  test.each(['README.md', 'docs/guide/runbooks/trial.md', 'deploy/charts/etcd-operator/templates/NOTES.txt'])(
    'so is %s, where a sentence goes on in the next line',
    async (path) => {
      const problems = await problemsWith(vocabulary, { [path]: 'Line 1.\n\nThen the operator lets\ngo of it.\n' });
      expect(problems).toEqual([expect.objectContaining({ file: path, line: 3 })]);
    },
  );

  test.each([
    ['the target of a link', 'See [the page](silent.md).\n'],
    ['the name of a test', 'See [a silent member](apps/operator/src/trial.test.ts).\n'],
    ['who it is, if that is said', 'Anyone who may read the bucket can read it.\n'],
  ])('a page may hold %s', async (_what, text) => {
    expect(await problemsWith(vocabulary, { 'docs/guide/trial.md': text })).toEqual([]);
  });

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
