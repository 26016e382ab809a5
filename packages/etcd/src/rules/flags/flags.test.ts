// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { versionOf } from '../versions/version.ts';
import { envOfFlag, flagLifetime, flagOfEnv, flagsOf, gatedFlags, hasFlag, newNameOf, oldNameOf } from './flags.ts';

describe('flags by version (etcd fact 6)', () => {
  test.each([
    ['max-learners', '3.5.35', false],
    ['max-learners', '3.6.0', true],
    ['experimental-initial-corrupt-check', '3.3.25', true],
    ['experimental-initial-corrupt-check', '3.6.16', true],
    ['experimental-initial-corrupt-check', '3.7.3', false],
    ['feature-gates', '3.5.35', false],
    ['feature-gates', '3.6.0', true],
    ['enable-v2', '3.5.35', true],
    ['enable-v2', '3.6.0', false],
    ['log-output', '3.4.23', true],
    ['log-output', '3.5.0', false],
    ['discovery', '3.6.16', true],
    ['discovery', '3.7.3', false],
    ['snapshot-count', '3.2.13', true],
  ])('%s on %s: %s', (flag, version, expected) => {
    expect(hasFlag(flag, versionOf(version))).toBe(expected);
  });

  test('operator rule 2: no version has an experimental form of max-learners', () => {
    expect(flagLifetime('experimental-max-learners')).toBeUndefined();
  });

  test('3.7 has no experimental flag left', () => {
    expect(flagsOf(versionOf('3.7.3')).filter((flag) => flag.startsWith('experimental-'))).toEqual([]);
  });

  test('every experimental flag of 3.6 has a successor there, a plain flag or a gate', () => {
    const gates = new Set(gatedFlags.map(({ flag }) => flag));
    const orphans = flagsOf(versionOf('3.6.16')).filter(
      (flag) =>
        flag.startsWith('experimental-') && !gates.has(flag) && !hasFlag(newNameOf(flag) ?? '', versionOf('3.6.16')),
    );
    expect(orphans).toEqual([]);
  });

  test('renames work in both directions', () => {
    expect(newNameOf('experimental-corrupt-check-time')).toBe('corrupt-check-time');
    expect(oldNameOf('corrupt-check-time')).toBe('experimental-corrupt-check-time');
    expect(newNameOf('snapshot-count')).toBeUndefined();
    expect(oldNameOf('snapshot-count')).toBeUndefined();
  });

  test('names of variables and flags translate into each other', () => {
    for (const flag of flagsOf(versionOf('3.6.16'))) expect(flagOfEnv(envOfFlag(flag))).toBe(flag);
    expect(flagOfEnv('GOMAXPROCS')).toBeUndefined();
  });
});
