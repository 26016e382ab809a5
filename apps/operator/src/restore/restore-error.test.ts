// SPDX-License-Identifier: Apache-2.0
import { BlobError, type BlobErrorCode } from '@operator-parts/blob';
import { EtcdError, SnapshotError } from '@operator-parts/etcd';
import { KubeError } from '@operator-parts/kube';
import { describe, expect, test } from 'vitest';
import { ChangesError } from '../changes/changes-error.ts';
import { EncryptionError } from '../storage/encryption/encryption-error.ts';
import { StorageError, type StorageErrorCode } from '../storage/storage-error.ts';
import { describeFailure, RestoreError, type RestoreErrorCode } from './restore-error.ts';

/** `ends`: waiting cannot help. `waits`: as long as the plan waits for anything. `doubts`: for a minute. */
type Prospect = 'ends' | 'waits' | 'doubts';

function prospectOf(error: Error): Prospect {
  const { passes, limit } = describeFailure(error);
  if (!passes) return 'ends';
  return limit === undefined ? 'waits' : 'doubts';
}

/** Every kind of failure. A new kind does not compile until its effect on a restore is added here. */
const stores: Readonly<Record<BlobErrorCode, Prospect>> = {
  ...{ NotFound: 'ends', Locked: 'ends', InvalidPath: 'ends', NoSpace: 'ends', Aborted: 'ends', Configuration: 'ends' },
  ...{ Throttled: 'waits', Unavailable: 'waits', Timeout: 'waits', ChecksumMismatch: 'waits', BadListing: 'waits' },
  ...{ ClockSkew: 'waits', Denied: 'doubts', Expired: 'doubts', BucketMissing: 'doubts', Unknown: 'doubts' },
};

const places: Readonly<Record<StorageErrorCode, Prospect>> = {
  ...{ UnknownStorage: 'ends', SourceMissing: 'ends', InvalidPath: 'ends', NotConfigured: 'ends' },
  ...{ CredentialsNotGranted: 'ends', SecretMissing: 'waits', SecretInvalid: 'waits', SecretNotLabelled: 'waits' },
};

const own: Readonly<Record<RestoreErrorCode, Prospect>> = {
  ...{ SourceRefused: 'ends', SourceReplaced: 'doubts', NotSaved: 'ends', NotDelivered: 'waits', KeysChanged: 'ends' },
};

describe('a restore that meets', () => {
  test.each(Object.entries(stores))('a store that says %s %s', (code, prospect) => {
    expect(prospectOf(new BlobError(code as BlobErrorCode, ''))).toBe(prospect);
  });

  test.each(Object.entries(places))('storage that is %s %s', (code, prospect) => {
    expect(prospectOf(new StorageError(code as StorageErrorCode, ''))).toBe(prospect);
  });

  test.each(Object.entries(own))('its own %s %s', (code, prospect) => {
    expect(prospectOf(new RestoreError(code as RestoreErrorCode, ''))).toBe(prospect);
  });

  test.each<readonly [string, Error, Prospect]>([
    ['a damaged snapshot', new SnapshotError('HashMismatch', ''), 'ends'],
    ['another key', new EncryptionError('WrongKey', ''), 'ends'],
    ['damaged changes', new ChangesError('Damaged', ''), 'ends'],
    ['an API server that restarts', new KubeError('ServiceUnavailable', ''), 'waits'],
    ['an API server that has too much to do', new KubeError('TooManyRequests', ''), 'waits'],
    ['a right that is granted a moment later', new KubeError('Forbidden', ''), 'waits'],
    ['an etcd without a leader', new EtcdError('NoLeader', ''), 'waits'],
    ['a connection that breaks', new Error('ECONNRESET'), 'waits'],
  ])('%s: %s', (_what, error, prospect) => {
    expect(prospectOf(error)).toBe(prospect);
  });
});
