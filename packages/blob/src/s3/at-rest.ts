// SPDX-License-Identifier: Apache-2.0
import type { ObjectLockMode, PutObjectCommandInput } from '@aws-sdk/client-s3';
import { BlobError } from '../blob-error.ts';
import { type LockWords, lockedUntil, type ObjectLock, requireLock } from '../object-lock.ts';

/** How S3 encrypts objects. */
export interface S3Encryption {
  readonly algorithm: 'AES256' | 'aws:kms';
  /** A key of AWS KMS, by ID, ARN or alias. @default the key that AWS manages for S3 */
  readonly kmsKeyId?: string;
  /** Whether one request to KMS serves many objects (bucket key). @default the setting of the bucket */
  readonly bucketKey?: boolean;
}

export interface S3AtRest {
  readonly encryption?: S3Encryption | undefined;
  readonly objectLock?: ObjectLock | undefined;
}

const lockModes: Readonly<Record<ObjectLock['mode'], ObjectLockMode>> = {
  Governance: 'GOVERNANCE',
  Compliance: 'COMPLIANCE',
};

const lockWords: LockWords = { modes: lockModes, toRead: 's3:GetObject', toSee: 's3:GetObjectRetention' };

type AtRestInput = Pick<
  PutObjectCommandInput,
  'ServerSideEncryption' | 'SSEKMSKeyId' | 'BucketKeyEnabled' | 'ObjectLockMode' | 'ObjectLockRetainUntilDate'
>;

/** The encryption and lock of a new object. @param now milliseconds since the epoch */
export function atRestInput({ encryption, objectLock }: S3AtRest, now: number): AtRestInput {
  return {
    ...(encryption && { ServerSideEncryption: encryption.algorithm }),
    ...(encryption?.kmsKeyId && { SSEKMSKeyId: encryption.kmsKeyId }),
    ...(encryption?.bucketKey !== undefined && { BucketKeyEnabled: encryption.bucketKey }),
    ...(objectLock && {
      ObjectLockMode: lockModes[objectLock.mode],
      ObjectLockRetainUntilDate: lockedUntil(objectLock, now),
    }),
  };
}

/** The encryption of an object as the store shows it. */
interface ToldEncryption {
  readonly ServerSideEncryption?: string | undefined;
  readonly SSEKMSKeyId?: string | undefined;
}

/**
 * Throws if the store does not confirm the requested encryption: some S3-compatible stores accept the request and
 * ignore it.
 */
export function checkEncrypted({ encryption }: S3AtRest, told: ToldEncryption, key: string): void {
  if (!encryption) return;
  const { ServerSideEncryption: algorithm, SSEKMSKeyId: kmsKeyId } = told;
  if (algorithm !== encryption.algorithm) {
    const said = algorithm ? `its answer says ${algorithm.slice(0, 64)}` : 'its answer does not mention encryption';
    const message = `the backup store did not confirm that it encrypts ${key} with ${encryption.algorithm}: ${said}. Remove serverSideEncryption, or use a backup store that supports it`;
    throw new BlobError('Configuration', message);
  }
  if (!encryption.kmsKeyId || !kmsKeyId || isSameKey(encryption.kmsKeyId, kmsKeyId)) return;
  const message = `the backup store encrypts ${key} with the KMS key ${kmsKeyId.slice(0, 256)} instead of ${encryption.kmsKeyId}. Correct kmsKeyID, or use a backup store that supports it`;
  throw new BlobError('Configuration', message);
}

/**
 * True if both name the same key. Stores return the ARN of a key that was requested by its ID, and some return the ID
 * of a key that was requested by its ARN. The key behind an alias is not known, so any key counts as the same.
 */
function isSameKey(asked: string, told: string): boolean {
  if (asked === told || /(^|:)alias\//.test(asked)) return true;
  const ends = (whole: string, end: string) => whole.endsWith(`/${end}`) || whole.endsWith(`:${end}`);
  return ends(told, asked) || ends(asked, told);
}

/** The lock of an object as the store shows it. */
interface ToldLock {
  readonly ObjectLockMode?: string | undefined;
  readonly ObjectLockRetainUntilDate?: Date | undefined;
}

/**
 * Throws if the requested lock is not shown.
 * @param told undefined if the credentials may not read the metadata of the object
 * @param now milliseconds since the epoch
 */
export function checkLocked(lock: ObjectLock, told: ToldLock | undefined, key: string, now: number): void {
  const shown = told && { mode: told.ObjectLockMode, until: told.ObjectLockRetainUntilDate };
  requireLock(lock, lockWords, shown, key, now);
}
