// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { blocksOf } from '@etcd-operator/tools/markdown';
import { expect, test } from 'vitest';
import { EtcdLab } from './testing/etcd-process.ts';

const run = promisify(execFile);

test('the example of the README runs as it stands, but for the port', async () => {
  await using lab = await EtcdLab.open();
  const member = await (await lab.member()).start();
  const readme = fileURLToPath(new URL('../README.md', import.meta.url));
  const example = blocksOf(readme).find(({ language }) => language === 'ts')?.content ?? '';
  expect(example).toContain('port: 2379');
  const program = example.replace('port: 2379', `port: ${member.clientPort}`);
  // From the package's own directory, packages are found as in a user's program.
  const { stdout } = await run(process.execPath, ['--input-type=module-typescript', '--eval', program], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    timeout: 60_000,
  });
  expect(stdout).toMatch(
    /^3\.6\.16, learner: false, revision 1\n[0-9a-f]+ m[0-9a-f]{12}\nminor 3\.7 is the next minor after 3\.6\n$/,
  );
});
