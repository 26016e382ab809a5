// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** The help text of a program. As in Go programs, asking for help exits with an error status. */
function help(program: string): Promise<{ readonly stderr: string }> {
  return promisify(execFile)(process.execPath, [program, '-h']).catch((error: { readonly stderr: string }) => error);
}

test.each(['etcd-backup-operator', 'etcd-restore-operator'])(
  'the example of %s names the port that the program listens on',
  async (name) => {
    const program = resolve(import.meta.dirname, `${name}.ts`);
    const { stderr } = await help(program);
    const [, port] = /-listen-addr\s.*\(default "0\.0\.0\.0:(\d+)"\)/.exec(stderr) ?? [];
    const file = resolve(import.meta.dirname, `../../../../example/${name}/deployment.yaml`);
    const text = await readFile(file, 'utf8');
    expect(port).toBeDefined();
    expect(text).toMatch(new RegExp(`- name: http\\n +containerPort: ${port}\\n`));
    expect(text).toMatch(/path: \/readyz\n +port: http\n/);
  },
  60_000,
);
