// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { statusResponse } from '../messages/maintenance-messages.ts';
import { formatId, parseId, readStatus } from './member-status.ts';

describe('identifiers', () => {
  test('are written as etcd prints them, and read back', () => {
    expect(formatId(0x8e9e05c52164694dn)).toBe('8e9e05c52164694d');
    expect(formatId(0xabcn)).toBe('abc');
    expect(parseId('8e9e05c52164694d')).toBe(0x8e9e05c52164694dn);
  });

  test.each(['', 'x', '0x1', '11112222333344445', '-1'])('%j is none', (text) => {
    expect(parseId(text)).toBeUndefined();
  });
});

describe('a status', () => {
  test('of 3.3 leaves open what that version does not say', () => {
    const wire = statusResponse.encode({ version: '3.3.25', dbSize: 24_576n, leader: 7n, raftIndex: 9n, raftTerm: 2n });
    expect(readStatus(statusResponse.decode(wire))).toMatchObject({
      version: '3.3.25',
      dbSize: 24_576,
      isLearner: false,
      raftAppliedIndex: undefined,
      dbSizeInUse: undefined,
      storageVersion: undefined,
      dbSizeQuota: undefined,
      downgrade: undefined,
    });
  });

  test('of 3.6 tells of a downgrade only while one is under way', () => {
    const withInfo = (enabled: boolean) =>
      readStatus(statusResponse.decode(statusResponse.encode({ downgradeInfo: { enabled, targetVersion: '3.5.0' } })));
    expect(withInfo(true).downgrade).toEqual({ targetVersion: '3.5.0' });
    expect(withInfo(false).downgrade).toBeUndefined();
  });
});
