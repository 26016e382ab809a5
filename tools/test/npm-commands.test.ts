// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import { repositoryRoot } from '../repository-root.ts';

const { scripts } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

async function run(name: string, option: string) {
  // Like npm, with a shell.
  const child = spawn('sh', ['-c', `${scripts[name]} ${option}`], {
    cwd: repositoryRoot,
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH']}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { stdout, stderr, status: status as number };
}

/** As typed by a user. */
const typed = (name: string) => (['start', 'test'].includes(name) ? `npm ${name}` : `npm run ${name}`);

/** The first command after a change of a manifest installs, with a message. */
beforeAll(() => run('checklist', '--help'), 120_000);

describe.each(Object.keys(scripts))('the npm command %s', { timeout: 60_000, concurrent: true }, (name) => {
  test('answers --help with how it is used, and does nothing else', async () => {
    const { stdout, stderr, status } = await run(name, '--help');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(typed(name).replace('npm run tools', 'npm run'));
    expect(stdout.split('\n').length).toBeLessThan(40);
  });

  test('answers an option that it does not take with one sentence', async () => {
    const { stdout, stderr, status } = await run(name, '--no-such-option');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^[^\n]*--no-such-option[^\n]*--help[^\n]*\n$/);
  });
});
