// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RestoreLab } from './testing/restore-lab.ts';

describe('EtcdRestore', () => {
  let lab: RestoreLab;
  beforeAll(async () => {
    lab = await RestoreLab.start();
  }, 120_000);
  afterAll(async () => {
    await lab[Symbol.asyncDispose]();
  });

  test('C-31 [89] brings a cluster back under its name, with exactly the data of the backup', async () => {
    const { clusters } = lab;
    const before = await clusters.create('example', { size: 3, version: '3.6.16' });
    await clusters.settled('example', 60_000);
    await clusters.put('example', 'foo', 'bar');
    await lab.snapshot('example', 'example.db');
    await clusters.put('example', 'foo', 'changed');
    await clusters.put('example', 'later', 'x');
    await lab.restore('example', 'example.db');
    const status = await lab.succeeded('example', 120_000);
    const after = await clusters.settled('example');
    expect(after.metadata?.uid).toBe(before.metadata?.uid);
    expect(after.status?.incarnation).toBe(2);
    expect(await clusters.read('example', 'foo')).toBe('bar');
    expect(await clusters.read('example', 'later')).toBeUndefined();
    expect(await clusters.pods('example')).toHaveLength(3);
    expect(status).toMatchObject({ succeeded: true, incarnation: 2, source: { verified: 'Embedded' } });
  }, 240_000);
});
