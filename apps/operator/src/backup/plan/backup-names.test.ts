// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePeriodicKey, periodicKey } from './backup-names.ts';

const at = (text: string) => Date.parse(text);

const anyTime = fc.integer({ min: 0, max: at('9999-01-01T00:00:00Z') / 1000 }).map((seconds) => seconds * 1000);
const anyRevision = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const anyBase = fc.string({ minLength: 1, maxLength: 40 });

describe('[79] names of periodic backups', () => {
  test('are those of CoreOS etcd-operator, to the letter', () => {
    expect(periodicKey('etcd.backup', 12n, at('2019-12-15T15:57:59.999Z'))).toBe('etcd.backup_v12_2019-12-15-15:57:59');
  });

  test('a percent sign in the path is only a percent sign', () => {
    expect(periodicKey('a%d%s', 1n, 0)).toBe('a%d%s_v1_1970-01-01-00:00:00');
  });

  test('are read as they were written', () => {
    fc.assert(
      fc.property(anyBase, anyRevision, anyTime, (base, revision, time) => {
        const key = periodicKey(base, revision, time);
        expect(parsePeriodicKey(base, key)).toEqual({ key, revision, time });
      }),
    );
  });

  test.each([
    'etcd.backup',
    'etcd.backup2_v1_2019-12-15-15:57:59',
    'etcd.backup_v1_2019-12-15-15:57:59.manifest.json',
    'etcd.backup_v1_2019-12-15-15:57:59/other',
    'etcd.backup_v1_2019-12-15-15:57:5',
    'etcd.backup_v1_2019-13-15-15:57:59',
    'etcd.backup_v1_2019-02-30-15:57:59',
    'etcd.backup_v01_2019-12-15-15:57:59',
    'etcd.backup_v_2019-12-15-15:57:59',
    'etcd.backup_v-1_2019-12-15-15:57:59',
    'etcd.backup_vault',
    'other/etcd.backup_v1_2019-12-15-15:57:59',
  ])('[80] %s is not ours', (key) => {
    expect(parsePeriodicKey('etcd.backup', key)).toBeUndefined();
  });

  test('[80] whatever is read as ours is written the same', () => {
    fc.assert(
      fc.property(anyBase, fc.string(), (base, rest) => {
        const name = parsePeriodicKey(base, base + rest);
        expect(name === undefined || periodicKey(base, name.revision, name.time) === name.key).toBe(true);
      }),
    );
  });
});
