// SPDX-License-Identifier: Apache-2.0
import { BlobError } from '@operator-parts/blob';
import { EtcdError, SnapshotError } from '@operator-parts/etcd';
import { KubeError } from '@operator-parts/kube';
import { expect, test } from 'vitest';
import { RestoreError } from '../../restore/restore-error.ts';
import { EncryptionError } from '../../storage/encryption/encryption-error.ts';
import { StorageError } from '../../storage/storage-error.ts';
import { outcomeOf } from './proof-outcome.ts';

test.each<readonly [string, Error, string]>([
  ['a hash that does not match', new SnapshotError('HashMismatch', ''), 'refuted BackupDamaged'],
  ['bytes that were changed', new EncryptionError('Damaged', ''), 'refuted BackupDamaged'],
  ['a backup that is gone', new BlobError('NotFound', ''), 'refuted BackupDamaged'],
  ['a backup that must not be restored', new RestoreError('SourceRefused', ''), 'refuted BackupDamaged'],
  ['a backup that was replaced meanwhile', new RestoreError('SourceReplaced', ''), 'untried ProofPodFailed'],
  ['a pod that does not take the data', new RestoreError('NotDelivered', ''), 'untried ProofPodFailed'],
  ['a store that does not answer', new BlobError('Unavailable', ''), 'untried StorageUnavailable'],
  ['a store that does not let anybody in', new BlobError('Denied', ''), 'untried AccessDenied'],
  ['a Secret that is not there', new StorageError('SecretMissing', ''), 'untried SecretMissing'],
  ['an API server that restarts', new KubeError('ServiceUnavailable', ''), 'untried APIServerUnavailable'],
  ['an etcd that is cut off', new EtcdError('Unavailable', ''), 'untried EtcdUnavailable'],
])('only what is known of the bytes speaks against a backup: %s', (_what, error, outcome) => {
  const { kind, reason } = outcomeOf(error);
  expect(`${kind} ${reason}`).toBe(outcome);
});
