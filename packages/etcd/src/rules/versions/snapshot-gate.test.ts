// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { snapshotGate } from './snapshot-gate.ts';
import { versionOf } from './version.ts';

describe('operator rule 3: minor steps that need a raft snapshot of every member first', () => {
  test.each([
    ['3.2.32', '3.3.25', false],
    ['3.3.25', '3.4.44', false],
    ['3.4.23', '3.5.33', false],
    ['3.5.33', '3.6.16', true],
    ['3.6.16', '3.7.3', true],
    ['3.6.14', '3.6.16', false],
    ['3.7.3', '3.6.16', false],
    ['3.4.23', '3.6.16', false],
  ])('%s to %s: %s', (from, to, needed) => {
    const gate = snapshotGate(versionOf(from), versionOf(to));
    expect(gate.needed).toBe(needed);
    expect(gate.reason.length).toBeGreaterThan(10);
  });
});
