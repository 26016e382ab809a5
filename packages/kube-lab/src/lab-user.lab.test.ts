// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ensurePart, ownPackage } from '@etcd-operator/tools';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyPackages } from './node/testing/portable-copy.ts';

/** A user without any rights. The tests are run by root or by an ordinary user, who is then that user. */
const nobody = 65534;
const isRoot = process.getuid?.() === 0;
let home: string;
let program: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'kube-lab-user-'));
  const copies = copyPackages([fileURLToPath(new URL('..', import.meta.url))], home);
  for (const [name, folder] of copies) {
    if (ownPackage(name) === undefined) continue;
    mkdirSync(join(home, 'node_modules', dirname(name)), { recursive: true });
    symlinkSync(folder, join(home, 'node_modules', name));
  }
  program = join(copies.get('@operator-parts/kube-lab') ?? '', 'src/node/testing/lab-program.ts');
  const { programs } = await ensurePart('etcd@3.6');
  mkdirSync(join(home, 'bin'));
  for (const [name, file] of Object.entries(programs)) cpSync(file, join(home, 'bin', name));
  cpSync(process.execPath, join(home, 'bin', 'node'));
  mkdirSync(join(home, 'tmp'));
  chmodSync(home, 0o755);
  chmodSync(join(home, 'tmp'), 0o777);
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

test('an ordinary user runs three etcd members, cuts a minority off and heals it', async () => {
  const env = { PATH: '/usr/bin:/bin', HOME: home, TMPDIR: join(home, 'tmp') };
  const identity = isRoot ? { uid: nobody, gid: nobody } : {};
  const child = spawn(join(home, 'bin', 'node'), [program, 'etcd', join(home, 'bin')], {
    ...identity,
    env,
    cwd: home,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const steps = new Map<string, number>();
  for await (const line of createInterface({ input: child.stdout })) {
    const { step, milliseconds } = JSON.parse(line) as { step: string; milliseconds: number };
    steps.set(step, milliseconds);
  }
  expect([...steps.keys()]).toEqual(['started', 'healthy', 'minority without a leader', 'healed']);
  process.stdout.write(`all of it took an ordinary user ${steps.get('healed')} ms\n`);
});
