// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { versionOf } from '../versions/version.ts';
import { checkEnv, isReservedEnv } from './env-check.ts';

const check = (version: string, ...names: string[]) =>
  checkEnv(
    names.map((name) => ({ name })),
    versionOf(version),
  );

describe("operator rule 11: a user's environment against a version", () => {
  test.each([
    ['3.5.35', 'ETCD_EXPERIMENTAL_INITIAL_CORRUPT_CHECK'],
    ['3.6.16', 'ETCD_AUTO_COMPACTION_RETENTION'],
    ['3.7.3', 'ETCD_QUOTA_BACKEND_BYTES'],
    ['3.6.16', 'ETCD_FEATURE_GATES'],
    ['3.6.16', 'GOGC'],
    ['3.6.16', 'ETCDCTL_API'],
  ])('on %s nothing is wrong with %s', (version, name) => {
    expect(check(version, name)).toEqual([]);
  });

  test.each([
    ['3.7.3', 'ETCD_EXPERIMENTAL_INITIAL_CORRUPT_CHECK', 'ETCD_FEATURE_GATES=InitialCorruptCheck=true'],
    ['3.7.3', 'ETCD_EXPERIMENTAL_CORRUPT_CHECK_TIME', 'ETCD_CORRUPT_CHECK_TIME'],
    ['3.7.3', 'ETCD_DISCOVERY_PROXY', undefined],
    ['3.6.16', 'ETCD_ENABLE_V2', undefined],
    ['3.5.35', 'ETCD_LOG_OUTPUT', 'ETCD_LOG_OUTPUTS'],
    ['3.5.35', 'ETCD_CORRUPT_CHECK_TIME', 'ETCD_EXPERIMENTAL_CORRUPT_CHECK_TIME'],
    ['3.5.35', 'ETCD_FEATURE_GATES', undefined],
  ])('%s would silently ignore %s: refused, with the new spelling %s', (version, name, replacement) => {
    expect(check(version, name)).toEqual([
      { name, severity: 'refuse', replacement, reason: expect.stringContaining('ignores') },
    ]);
  });

  test('3.6 still takes experimental names: a warning with the new spelling', () => {
    expect(check('3.6.16', 'ETCD_EXPERIMENTAL_COMPACTION_BATCH_LIMIT')).toEqual([
      expect.objectContaining({ severity: 'warn', replacement: 'ETCD_COMPACTION_BATCH_LIMIT' }),
    ]);
  });

  test('3.6 does not start with both spellings of a flag', () => {
    const problems = check('3.6.16', 'ETCD_EXPERIMENTAL_CORRUPT_CHECK_TIME', 'ETCD_CORRUPT_CHECK_TIME');
    expect(problems).toEqual([
      expect.objectContaining({ severity: 'refuse', reason: expect.stringContaining('both') }),
    ]);
  });

  test('3.6 does not start with a switch and its own gate, but does with another gate', () => {
    const name = 'ETCD_EXPERIMENTAL_INITIAL_CORRUPT_CHECK';
    const withGate = (value: string) =>
      checkEnv(
        [
          { name, value: 'true' },
          { name: 'ETCD_FEATURE_GATES', value },
        ],
        versionOf('3.6.16'),
      )[0]?.severity;
    expect(withGate('InitialCorruptCheck=true')).toBe('refuse');
    expect(withGate('CompactHashCheck=true')).toBe('warn');
  });

  test('gates whose value is not known here count as a clash', () => {
    const env = [{ name: 'ETCD_EXPERIMENTAL_INITIAL_CORRUPT_CHECK', value: 'true' }, { name: 'ETCD_FEATURE_GATES' }];
    expect(checkEnv(env, versionOf('3.6.16'))[0]?.severity).toBe('refuse');
  });

  test('a name that no version knows is a warning', () => {
    expect(check('3.6.16', 'ETCD_QUOTA_BACKEND_BITES')).toEqual([
      expect.objectContaining({ severity: 'warn', reason: expect.stringContaining('not an option of etcd') }),
    ]);
  });
});

describe('operator rule 11: reserved names', () => {
  test.each([
    'ETCD_LISTEN_METRICS_URLS',
    'ETCD_NAME',
    'ETCD_DATA_DIR',
    'ETCD_INITIAL_CLUSTER',
    'ETCD_INITIAL_CLUSTER_STATE',
    'ETCD_INITIAL_CLUSTER_TOKEN',
    'ETCD_INITIAL_ADVERTISE_PEER_URLS',
    'ETCD_CONFIG_FILE',
    'ETCD_FORCE_NEW_CLUSTER',
    'ETCD_STRICT_RECONFIG_CHECK',
    'ETCD_MAX_LEARNERS',
  ])('%s is refused on every version', (name) => {
    expect(isReservedEnv(name)).toBe(true);
    for (const version of ['3.3.25', '3.5.35', '3.6.16', '3.7.3']) {
      expect(check(version, name)).toEqual([expect.objectContaining({ severity: 'refuse' })]);
    }
  });

  test('so are those of our own command line: etcd ends if both are given', () => {
    for (const name of ['ETCD_LISTEN_CLIENT_URLS', 'ETCD_CERT_FILE', 'ETCD_PEER_TRUSTED_CA_FILE']) {
      expect(isReservedEnv(name)).toBe(true);
    }
  });

  test('common tuning stays free', () => {
    for (const name of [
      'ETCD_QUOTA_BACKEND_BYTES',
      'ETCD_HEARTBEAT_INTERVAL',
      'ETCD_SNAPSHOT_COUNT',
      'ETCD_LOG_LEVEL',
    ]) {
      expect(isReservedEnv(name)).toBe(false);
    }
  });
});
