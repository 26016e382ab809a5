// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { checkEnv } from './env-check.ts';
import { type OptionSetting, optionEnv } from './option-env.ts';
import { versionOf } from './version.ts';

const settings: readonly OptionSetting[] = [
  { flag: 'snapshot-count', value: '10000' },
  { flag: 'corrupt-check-time', value: '4h' },
  { gate: 'InitialCorruptCheck', enabled: true },
  { gate: 'CompactHashCheck', enabled: true },
];

describe('operator-rules 11: our own options in the spelling of each version', () => {
  test('3.5 takes experimental names', () => {
    expect(optionEnv(settings, versionOf('3.5.35'))).toEqual({
      env: {
        ETCD_EXPERIMENTAL_COMPACT_HASH_CHECK_ENABLED: 'true',
        ETCD_EXPERIMENTAL_CORRUPT_CHECK_TIME: '4h',
        ETCD_EXPERIMENTAL_INITIAL_CORRUPT_CHECK: 'true',
        ETCD_SNAPSHOT_COUNT: '10000',
      },
      unsupported: [],
    });
  });

  test.each(['3.6.16', '3.7.3'])('%s takes plain names and one variable with all gates', (version) => {
    expect(optionEnv(settings, versionOf(version)).env).toEqual({
      ETCD_CORRUPT_CHECK_TIME: '4h',
      ETCD_FEATURE_GATES: 'CompactHashCheck=true,InitialCorruptCheck=true',
      ETCD_SNAPSHOT_COUNT: '10000',
    });
  });

  test('3.3 says what it cannot do', () => {
    expect(optionEnv(settings, versionOf('3.3.25'))).toEqual({
      env: {
        ETCD_EXPERIMENTAL_CORRUPT_CHECK_TIME: '4h',
        ETCD_EXPERIMENTAL_INITIAL_CORRUPT_CHECK: 'true',
        ETCD_SNAPSHOT_COUNT: '10000',
      },
      unsupported: [{ gate: 'CompactHashCheck', enabled: true }],
    });
  });

  test('whatever is emitted, the same version has nothing to complain about', () => {
    for (const version of ['3.3.25', '3.4.23', '3.5.35', '3.6.16', '3.7.3'].map(versionOf)) {
      const { env } = optionEnv(settings, version);
      const problems = checkEnv(
        Object.entries(env).map(([name, value]) => ({ name, value })),
        version,
      );
      expect(problems).toEqual([]);
    }
  });
});
