// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ensurePart } from './ensure-part.ts';
import { etcdOnPath } from './etcd-on-path.ts';

test('an etcd on PATH is found where it lies, with its version and its tools', async () => {
  const { programs, version } = await ensurePart('etcd@3.6', { fromPath: false });
  const found = await etcdOnPath({ PATH: `/nowhere:${dirname(programs['etcd'] ?? '')}` });
  expect(found).toMatchObject({ name: `etcd@${version}`, version, programs });
});

test('a script that is called etcd, or none at all, is no etcd', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'etcd-on-path-'));
  try {
    writeFileSync(join(folder, 'etcd'), '#!/bin/sh\necho etcd Version: 3.6.0\n', { mode: 0o755 });
    expect(await etcdOnPath({ PATH: folder })).toBeUndefined();
    expect(await etcdOnPath({ PATH: '' })).toBeUndefined();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
