// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { versionOf } from '../versions/version.ts';
import { probePlan } from './probes.ts';

const shape = (version: string) => {
  const { startup, readiness, liveness } = probePlan(versionOf(version));
  return [startup, readiness, liveness].map((probe) => (probe.kind === 'http' ? probe.path : probe.kind)).join(' ');
};

describe('probes by version (operator rules 3, 12, 15)', () => {
  test.each([
    ['3.2.13', 'tcp tcp tcp'],
    ['3.3.25', 'tcp tcp tcp'],
    ['3.4.23', 'tcp tcp tcp'],
    ['3.4.29', '/livez /readyz /livez'],
    ['3.5.10', 'tcp tcp tcp'],
    ['3.5.11', '/livez tcp /livez'],
    ['3.5.18', '/livez tcp /livez'],
    ['3.5.19', '/livez /readyz /livez'],
    ['3.6.0', '/livez /readyz /livez'],
    ['3.7.3', '/livez /readyz /livez'],
  ])('%s: startup, readiness, liveness = %s', (version, expected) => {
    expect(shape(version)).toBe(expected);
  });

  test('operator rule 12: /health is never probed, it calls a learner healthy', () => {
    for (const version of ['3.3.25', '3.4.29', '3.5.19', '3.6.16', '3.7.3'])
      expect(shape(version)).not.toContain('/health');
  });
});
