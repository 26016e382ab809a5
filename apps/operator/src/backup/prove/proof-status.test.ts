// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import type { EtcdBackupStatus } from '../../api/etcd-backup.ts';
import { storagePlace } from '../../storage/storage-place.ts';
import {
  begunProof,
  countedSinceProof,
  endedProof,
  isRefuted,
  proofMemoryOf,
  sparedKeys,
  withoutProof,
} from './proof-status.ts';

const now = Date.parse('2026-01-02T00:00:00Z');
const at = { now, chance: 1 };
const time = '2026-01-02T00:00:00Z';
const begun = begunProof(undefined, { path: 'bucket/b', due: now, pod: 'p' }, time);
const status: EtcdBackupStatus = { proof: begun.proof ?? null, conditions: begun.conditions ?? null };
const proven = {
  ...{ path: 'bucket/b', sha256: 'ab', backupDate: time, provenDate: time },
  ...{ etcdVersion: '3.6.16', etcdRevision: 7, keys: 3, hash: 5 },
};
const refuted = { kind: 'refuted', reason: 'HashDiffers', message: 'HashKV is 1, not 2', hasPod: true } as const;
const untried = { kind: 'untried', reason: 'ProofPodFailed', message: 'no room', hasPod: false } as const;
const first = ({ conditions }: Pick<ReturnType<typeof endedProof>, 'conditions'>) => conditions?.[0];

describe('what the status says of a proof', () => {
  test('that has begun: it is not known, and a process that comes after finds it open', () => {
    expect(first(begun)).toMatchObject({ type: 'Proven', status: 'Unknown', reason: 'NotProvenYet' });
    expect(proofMemoryOf(status)).toMatchObject({ path: 'bucket/b', isOpen: true, due: now, attempts: 0 });
  });

  test('of another one begun, what is known of the one before stays', () => {
    const good = endedProof(status, { kind: 'proven', proven }, at);
    const again = begunProof({ ...good } as EtcdBackupStatus, { path: 'bucket/c', due: now, pod: 'p' }, time);
    expect(first(again)).toMatchObject({ status: 'True', reason: 'Proven' });
  });

  test('that went well', () => {
    const ended = endedProof(status, { kind: 'proven', proven }, at);
    expect(ended.lastProven).toEqual(proven);
    expect(ended.proof).toEqual({ path: 'bucket/b', dueDate: time, backupsSince: 0 });
    expect(isRefuted(ended.conditions)).toBe(false);
  });

  test('that refutes a backup: what is wrong, where to look, and what was proven before', () => {
    const ended = endedProof({ ...status, lastProven: proven }, refuted, at);
    expect(first(ended)).toMatchObject({
      status: 'False',
      reason: 'HashDiffers',
      message:
        'backup bucket/b failed its test restore: HashKV is 1, not 2. For inspection, pod/p is kept until the next test restore',
    });
    expect(ended).toMatchObject({ lastProven: proven, proof: { path: 'bucket/b', pod: 'p' } });
    expect(ended.proof).not.toHaveProperty('nextAttemptDate');
    expect(isRefuted(ended.conditions)).toBe(true);
    const without = endedProof(status, { ...refuted, hasPod: false }, at);
    expect(without.proof).not.toHaveProperty('pod');
    expect(first(without)?.message).not.toContain('pod/');
  });

  test('that could not be made: not known, and retried after a pause', () => {
    const ended = endedProof(status, untried, at);
    expect(first(ended)).toMatchObject({ status: 'Unknown', reason: 'ProofPodFailed' });
    expect(ended.proof).toMatchObject({ attempts: 1, nextAttemptDate: '2026-01-02T00:01:00Z' });
    const again = endedProof({ proof: { ...status.proof, attempts: 3 } } as EtcdBackupStatus, untried, at);
    expect(again.proof).toMatchObject({ attempts: 4, nextAttemptDate: '2026-01-02T00:08:00Z' });
  });

  test('that the spec no longer asks for goes; backups since the last one are counted', () => {
    expect(withoutProof(status)).toEqual({ proof: undefined, conditions: [] });
    expect(countedSinceProof(status)).toMatchObject({ proof: { backupsSince: 1 } });
    expect(countedSinceProof({})).toEqual({});
  });
});

test.each([
  ['S3', { s3: { path: 'bucket/folder/b' } }, 'bucket/folder/', 'folder/'],
  ['Directory', { directory: { path: 'b' } }, '', 'default/'],
])('what is proven or was found wanting is spared by its key, in %s', (type, sources, before, key) => {
  const place = storagePlace(type, sources, 'default');
  const some = { lastProven: { ...proven, path: `${before}b_v1` }, proof: { path: `${before}b_v2`, dueDate: '' } };
  expect([...sparedKeys(some, `${before}b_v3`, place)]).toEqual([1, 2, 3].map((number) => `${key}b_v${number}`));
  expect([...sparedKeys(undefined, undefined, place)]).toEqual([]);
});
