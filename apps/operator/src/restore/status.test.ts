// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import type { EtcdRestoreStatus } from '../api/etcd-restore.ts';
import type { SafetyFacts } from './observation.ts';
import { restoreFacts } from './observe/restore-facts.ts';
import { nextStatus } from './status.ts';
import { modelSource } from './testing/model-source.ts';

const now = '2026-11-15T12:00:00Z';
const later = '2026-11-15T12:00:05Z';

const restoreWith = (status: EtcdRestoreStatus | undefined, generation = 1) => ({
  metadata: { name: 'r', uid: 'u', generation },
  spec: { backupStorageType: 'S3', etcdCluster: { name: 'c' } },
  ...(status && { status }),
});

describe('the status of a restore', () => {
  test('says nothing twice', () => {
    const first = nextStatus(undefined, 1, { phase: 'Verifying', reason: '' }, now);
    expect(first).toMatchObject({ succeeded: false, phase: 'Verifying', observedGeneration: 1 });
    expect(nextStatus(first, 1, { phase: 'Verifying', reason: '' }, later)).toBeUndefined();
  });

  test('lists old volumes with the command that deletes them and when their retention ends, until none is left', () => {
    const oldVolumes = { names: ['a', 'b'], command: 'kubectl delete pvc a b', retention: 3_600_000 };
    const done = nextStatus(undefined, 1, { phase: 'Succeeded', reason: '', oldVolumes }, now);
    const listed = { names: ['a', 'b'], delete: 'kubectl delete pvc a b', deletedAt: '2026-11-15T13:00:00Z' };
    expect(done?.oldVolumes).toEqual(listed);
    expect(restoreFacts(restoreWith(done))).toMatchObject({ listedVolumes: ['a', 'b'], completedAt: Date.parse(now) });
    const forGood = { ...oldVolumes, retention: undefined };
    expect(nextStatus(done, 1, { phase: 'Succeeded', reason: '', oldVolumes: forGood }, later)?.oldVolumes).toEqual({
      names: listed.names,
      delete: listed.delete,
    });
    const none = { ...oldVolumes, names: [] };
    const gone = nextStatus(done, 1, { phase: 'Succeeded', reason: '', oldVolumes: none }, later);
    expect(gone).not.toHaveProperty('oldVolumes');
    expect(gone).toMatchObject({ succeeded: true, completedAt: now });
  });

  test('of a dry run keeps what was compared, and ends until the spec is another', () => {
    const comparison = {
      ...{ sha256: 'ab', prefixes: ['/p/'], clusterId: 'c1', revision: 90 },
      ...{ puts: 3, creates: 1, leased: 0, putBytes: 64, deletes: 2, unchanged: 7, warning: 'w' },
      point: { asked: 'revision 9', snapshot: 'p', revision: 9 },
    };
    const counted = nextStatus(undefined, 1, { phase: 'Succeeded', reason: '', comparison, isDryRun: true }, now);
    expect(counted).toMatchObject({
      succeeded: true,
      prefixes: { generation: 1, dryRun: true, clusterID: 'c1', puts: 3 },
    });
    const spec = { backupStorageType: 'S3', etcdCluster: { name: 'c' }, prefixes: ['/p/'] };
    const factsAt = (status: EtcdRestoreStatus | undefined, generation: number) =>
      restoreFacts({ ...restoreWith(status, generation), spec });
    expect(factsAt(counted, 1)).toMatchObject({
      ended: 'succeeded',
      prefixes: { recorded: { ...comparison, generation: 1 } },
    });
    expect(factsAt(counted, 2).ended).toBeUndefined();
    const begun = nextStatus(counted, 2, { phase: 'Verifying', reason: '' }, later);
    expect(begun).toMatchObject({ succeeded: false, prefixes: { generation: 1, revision: 90 } });
    const written = { phase: 'Succeeded', reason: '', comparison, writtenRevision: 95 } as const;
    const done = nextStatus(begun, 2, written, later);
    expect(done?.prefixes).toMatchObject({ generation: 2, dryRun: false, writtenRevision: 95 });
    // A restore that has written keys is never repeated.
    expect(factsAt(done, 3).ended).toBe('succeeded');
  });

  test.each([
    [undefined, 'Required'],
    [true, 'Required'],
    ['Required', 'Required'],
    ['IfPossible', 'IfPossible'],
    [false, 'Never'],
  ] as const)('of a spec with safetySnapshot: %s asks for a snapshot that is %s', (safetySnapshot, policy) => {
    const { spec, ...rest } = restoreWith(undefined);
    const wanted = { ...spec, ...(safetySnapshot !== undefined && { safetySnapshot }) };
    expect(restoreFacts({ ...rest, spec: wanted }).safetySnapshot).toBe(policy);
  });

  test('D16 [93] is succeeded in one phase only, and has a reason where it failed', () => {
    const failed = nextStatus(undefined, 1, { phase: 'Failed', reason: 'the hash does not fit' }, now);
    expect(failed).toMatchObject({ succeeded: false, reason: 'the hash does not fit', completedAt: now });
    expect(failed?.conditions).toMatchObject([
      { type: 'Complete', status: 'False', reason: 'Failed' },
      { type: 'Ready', status: 'False', reason: 'Failed' },
      { type: 'Stalled', status: 'True', reason: 'Failed' },
    ]);
    const done = nextStatus(undefined, 1, { phase: 'Succeeded', reason: '' }, now);
    expect(done).toMatchObject({ succeeded: true, completedAt: now });
    for (const phase of [
      'Preparing',
      'Isolating',
      'SavingPresent',
      'Seeding',
      'Growing',
      'CleaningUp',
      'RollingBack',
    ] as const)
      expect(nextStatus(undefined, 1, { phase, reason: '' }, now)).toMatchObject({ succeeded: false });
  });

  test('keeps what was recorded, and can be read back as facts', () => {
    const verified = nextStatus(undefined, 1, { phase: 'Preparing', reason: '', source: modelSource }, now);
    const safety = { kind: 'kept', path: 'p', revision: 5, bytes: 6, isCurrent: true, members: ['a'] } as const;
    const saved = nextStatus(verified, 1, { phase: 'SavingPresent', reason: '', safety, started: true }, now);
    const facts = restoreFacts(restoreWith(saved));
    expect(facts).toMatchObject({ safety, startedAt: Date.parse(now), ended: undefined, failure: undefined });
    expect(facts.source).toEqual({ ...modelSource, storageVersion: undefined });
  });

  test('says of a snapshot of a member without a quorum that it may be older than what others held, and knows it again', () => {
    const safety = { kind: 'kept', path: 'p', revision: 5, bytes: 6, isCurrent: false, members: ['a'] } as const;
    const saved = nextStatus(undefined, 1, { phase: 'SavingPresent', reason: '', safety }, now);
    expect(saved?.safetySnapshot?.warning).toContain('other members may hold newer data than the safety snapshot');
    expect(restoreFacts(restoreWith(saved)).safety).toEqual(safety);
    const current = nextStatus(
      saved,
      1,
      { phase: 'SavingPresent', reason: '', safety: { ...safety, isCurrent: true } },
      now,
    );
    expect(current?.safetySnapshot).toEqual({
      generation: 1,
      path: 'p',
      revision: 5,
      bytes: 6,
      current: true,
      members: ['a'],
    });
    // A snapshot that is not recorded as current does not count as current.
    const { current: _current, ...withoutCurrent } = current?.safetySnapshot ?? {};
    expect(restoreFacts(restoreWith({ succeeded: false, safetySnapshot: withoutCurrent })).safety).toEqual(safety);
  });

  test('names the safety snapshots of earlier attempts and rounds, the first one for good', () => {
    const kept = (path: string, round?: number) =>
      ({ kind: 'kept', path, revision: 5, bytes: 6, isCurrent: true, members: [], ...(round && { round }) }) as const;
    const save = (before: EtcdRestoreStatus | undefined, generation: number, safety: SafetyFacts) =>
      nextStatus(before, generation, { phase: 'SavingPresent', reason: '', safety }, now) ?? before;
    const first = save(undefined, 1, kept('a', 1));
    expect(first?.safetySnapshot).not.toHaveProperty('earlier');
    const second = save(save(first, 1, kept('a', 1)), 1, kept('b', 2));
    expect(second?.safetySnapshot).toMatchObject({ path: 'b', round: 2, earlier: [{ path: 'a', revision: 5 }] });
    expect(restoreFacts(restoreWith(second)).safety).toMatchObject({ path: 'b', round: 2 });
    const skipped = save(second, 2, { kind: 'skipped', why: 'no' });
    expect(skipped?.safetySnapshot).toMatchObject({ skipped: 'no', earlier: [{ path: 'a' }, { path: 'b' }] });
    let many = skipped;
    for (let generation = 3; generation < 40; generation++) many = save(many, generation, kept(`g${generation}`));
    const named = many?.safetySnapshot?.earlier?.map(({ path }) => path);
    expect(named).toHaveLength(16);
    expect([named?.[0], named?.[1], named?.at(-1)]).toEqual(['a', 'g24', 'g38']);
  });

  test('is clipped, whatever its texts contain', () => {
    const long = '🔥'.repeat(200_000);
    const safety = { kind: 'skipped', why: long } as const;
    const written = nextStatus(undefined, 1, { phase: 'Failed', reason: long, failure: long, safety }, now);
    const { reason, failure, safetySnapshot, conditions } = written ?? {};
    const texts = [reason, failure?.message, safetySnapshot?.skipped, ...(conditions ?? []).map((one) => one.message)];
    expect(texts.length).toBeGreaterThan(4);
    for (const text of texts) expect(text?.length ?? 0).toBeLessThanOrEqual(1_500);
    expect(reason?.isWellFormed()).toBe(true);
    expect(nextStatus(undefined, 1, { phase: 'Failed', reason: 'short' }, now)?.reason).toBe('short');
  });

  test('the cluster ID of a cluster that is copied can be read back: another one of its name is refused by it', () => {
    const source = { ...modelSource, verified: 'Live', clusterID: '2a' } as const;
    const recorded = nextStatus(undefined, 1, { phase: 'Preparing', reason: '', source }, now);
    expect(recorded?.source).toMatchObject({ clusterID: '2a' });
    expect(restoreFacts(restoreWith(recorded)).source).toEqual({ ...source, storageVersion: undefined });
  });

  test('a source that was not read has no hash, and what is found in the end takes its place', () => {
    const pending = { ...modelSource, sha256: undefined, verified: 'Pending' } as const;
    const inspected = nextStatus(
      undefined,
      1,
      { phase: 'Preparing', reason: '', source: pending, bytesVerified: 0 },
      now,
    );
    expect(inspected?.source).not.toHaveProperty('sha256');
    expect(restoreFacts(restoreWith(inspected)).source).toEqual({ ...pending, storageVersion: undefined });
    const arrived = nextStatus(inspected, 1, { phase: 'Seeding', reason: '', source: modelSource }, now);
    expect(arrived?.source).toMatchObject({ sha256: modelSource.sha256, verified: 'Embedded' });
  });

  test('a spec that is changed when the restored data serves changes nothing: what was restored stays said', () => {
    const begun = { phase: 'Preparing', reason: '', source: modelSource, started: true, incarnation: 2 } as const;
    const seed = { revision: 1_000_000_040, clusterId: 'c2' };
    const serving = nextStatus(nextStatus(undefined, 1, begun, now), 1, { phase: 'Growing', reason: '', ...seed }, now);
    const edited = nextStatus(serving, 2, { phase: 'Growing', reason: '' }, later);
    const done = nextStatus(edited, 2, { phase: 'Succeeded', reason: '' }, later);
    const restored = {
      revision: 1_000_000_040,
      clusterID: 'c2',
      incarnation: 2,
      source: { generation: 1 },
      startedAt: now,
    };
    expect(done).toMatchObject({ ...restored, succeeded: true, observedGeneration: 2 });
  });

  test('a corrected spec starts again; what was saved stays named', () => {
    const report = { phase: 'Failed', reason: 'x', failure: 'x', source: modelSource, started: true } as const;
    const failed = nextStatus(
      undefined,
      1,
      { ...report, safety: { kind: 'kept', path: 'p', revision: 5, bytes: 6, isCurrent: true, members: ['a'] } },
      now,
    );
    expect(restoreFacts(restoreWith(failed)).ended).toBe('failed');
    const corrected = restoreFacts(restoreWith(failed, 2));
    expect(corrected).toMatchObject({ ended: undefined, failure: undefined, source: undefined, startedAt: 0 });
    const again = nextStatus(failed, 2, { phase: 'Verifying', reason: '' }, later);
    expect(again).toMatchObject({ safetySnapshot: { path: 'p' }, observedGeneration: 2 });
    expect(again).not.toHaveProperty('failure');
    expect(again).not.toHaveProperty('completedAt');
    const verified = nextStatus(again, 2, { phase: 'Preparing', reason: '', source: modelSource }, later);
    const facts = restoreFacts(restoreWith(verified, 2));
    expect(facts.source).toBeDefined();
    // The snapshot of the previous attempt does not have later writes.
    expect(facts.safety).toBeUndefined();
  });
});

describe('objects that CoreOS etcd-operator has finished are never touched again', () => {
  test.each<readonly [string, EtcdRestoreStatus, string]>([
    ['succeeded', { succeeded: true }, 'succeeded'],
    ['succeeded, and edited since', { succeeded: true, reason: '' }, 'succeeded'],
    ['failed', { succeeded: false, reason: 'failed to read' }, 'failed'],
  ])('%s', (_what, status, ended) => {
    expect(restoreFacts(restoreWith(status, 3)).ended).toBe(ended);
  });

  test('one that it has not seen is', () => {
    expect(restoreFacts(restoreWith({ succeeded: false })).ended).toBeUndefined();
    expect(restoreFacts(restoreWith(undefined)).ended).toBeUndefined();
  });
});
