// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { checkEncrypted, checkLocked } from './at-rest.ts';

describe('the KMS key that the store tells', () => {
  const arn = 'arn:aws:kms:eu-central-1:1:key/ours';
  const other = 'arn:aws:kms:eu-central-1:2:key/somebody-elses';
  const check = (kmsKeyId: string, told: string | undefined) => () =>
    checkEncrypted(
      { encryption: { algorithm: 'aws:kms', kmsKeyId } },
      { ServerSideEncryption: 'aws:kms', SSEKMSKeyId: told },
      'etcd',
    );

  test.each([
    [arn, arn],
    ['ours', arn],
    ['ours', 'arn:aws:kms:ours'],
    [arn, 'ours'],
    ['alias/backups', other],
    ['arn:aws:kms:eu-central-1:1:alias/backups', other],
    [arn, undefined],
  ])('is taken for %s if it is %s', (asked, told) => {
    expect(check(asked, told)).not.toThrow();
  });

  test.each([
    [arn, other],
    [arn, 'arn:aws:kms:eu-central-1:2:key/ours'],
    ['ours', other],
    ['ours', 'arn:aws:kms:eu-central-1:1:key/not-ours'],
  ])('is not %s if it is %s', (asked, told) => {
    expect(check(asked, told)).toThrow(`the backup store encrypts etcd with the KMS key ${told} instead of ${asked}`);
  });
});

describe('a lock that was asked for', () => {
  const day = 86_400_000;
  const now = Date.UTC(2026, 0, 1);
  const in30Days = new Date(now + 30 * day - 60_000);
  const check = (told: Parameters<typeof checkLocked>[1]) => () =>
    checkLocked({ mode: 'Compliance', days: 30 }, told, 'etcd', now);

  test('is there if the store shows it', () => {
    expect(check({ ObjectLockMode: 'COMPLIANCE', ObjectLockRetainUntilDate: in30Days })).not.toThrow();
  });

  test.each([
    ['nothing', {}, 'does not show that etcd is locked'],
    ['nothing, for want of a right', {}, 's3:GetObjectRetention'],
    ['no object', undefined, 'the credentials need the rights s3:GetObject and s3:GetObjectRetention'],
    ['a weaker one', { ObjectLockMode: 'GOVERNANCE', ObjectLockRetainUntilDate: in30Days }, 'in GOVERNANCE mode'],
    [
      'a shorter one',
      { ObjectLockMode: 'COMPLIANCE', ObjectLockRetainUntilDate: new Date(now + 28 * day) },
      'until 2026-01-29T00:00:00.000Z. Requested: Compliance mode for 30 days',
    ],
    ['one without an end', { ObjectLockMode: 'COMPLIANCE' }, 'until an unknown time'],
  ])('is not there if the store shows %s', (_, told, message) => {
    expect(check(told)).toThrow(message);
  });
});
