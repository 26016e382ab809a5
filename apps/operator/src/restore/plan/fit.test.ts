// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EtcdClusterSpec } from '../../api/etcd-cluster.ts';
import { desiredOf } from '../../cluster/desired.ts';
import type { RestoreFacts, SourceFacts } from '../observation.ts';
import { RestoreModel } from '../testing/model.ts';
import { modelSource } from '../testing/model-source.ts';
import { limitsOf } from './cluster-limits.ts';
import { bumpForTool, expectedRevision, whyUnfit } from './fit.ts';
import { specOfNewCluster } from './new-cluster.ts';

const { restore } = new RestoreModel().observation();

interface Case {
  readonly source?: Partial<SourceFacts>;
  readonly restore?: Partial<RestoreFacts>;
  readonly spec?: Partial<EtcdClusterSpec>;
  readonly exists?: boolean;
}

function why({ source = {}, restore: asked = {}, spec = {}, exists = true }: Case): string | undefined {
  const whole: EtcdClusterSpec = { size: 3, version: '3.6.16', ...spec };
  const desired = desiredOf('c', whole);
  if ('problems' in desired) throw new Error(desired.problems.join());
  const target = { exists, desired, limits: limitsOf(whole) };
  return whyUnfit({ ...modelSource, ...source }, { ...restore, ...asked }, target);
}

const gibibyte = 1024 ** 3;
const claim = (storage: string) => ({
  pod: { persistentVolumeClaimSpec: { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage } } } },
});

test('a backup of a newer etcd is refused, also if its manifest names no cluster', () => {
  const source = { storageVersion: undefined, cluster: undefined, etcdVersion: '3.5.29' };
  expect(why({ source, spec: { version: '3.4.44' } })).toContain(
    'etcd 3.4.44 cannot read this backup, because it was taken with etcd 3.5',
  );
  expect(why({ source, spec: { version: '3.5.29' } })).toBeUndefined();
});

describe('a sound source', () => {
  test.each<readonly [string, Case]>([
    ['of the same cluster', {}],
    ['without a manifest', { source: { verified: 'Embedded', cluster: undefined } }],
    [
      'of another cluster, into one that does not exist',
      { source: { cluster: { name: 'x', size: 1, version: '3.6.16' } }, exists: false },
    ],
    [
      'of another cluster, where that is meant',
      { source: { cluster: { name: 'x', size: 1, version: '3.6.16' } }, restore: { acceptForeign: true } },
    ],
    [
      'of nobody knows which cluster, encrypted, into one that does not exist',
      { source: { verified: 'Embedded', cluster: undefined }, restore: { isEncrypted: true }, exists: false },
    ],
    [
      'of nobody knows which cluster, encrypted, where that is meant',
      { source: { verified: 'Embedded', cluster: undefined }, restore: { isEncrypted: true, acceptForeign: true } },
    ],
    [
      'of a member of the cluster itself, whatever the spec says of encryption',
      {
        source: { verified: 'Survivor', cluster: undefined },
        restore: { isEncrypted: true, survivor: { member: undefined } },
      },
    ],
    ['of an older minor', { source: { storageVersion: '3.6.0' }, spec: { version: '3.7.3' } }],
    [
      'with authentication, and credentials in the spec',
      { source: { authEnabled: true }, spec: { auth: { secret: 's' } } },
    ],
    ['without authentication, into a cluster that does not exist', { spec: { auth: { secret: 's' } }, exists: false }],
    [
      'without authentication, where that is meant',
      { spec: { auth: { secret: 's' } }, restore: { acceptWithoutAuth: true } },
    ],
    [
      'of a member of the cluster itself, whose users are in its data',
      {
        source: { verified: 'Survivor', cluster: undefined },
        restore: { survivor: { member: undefined } },
        spec: { auth: { secret: 's' } },
      },
    ],
    ['that fits the volume', { source: { bytes: gibibyte }, spec: claim('2Gi') }],
    [
      'larger than the default quota, where the quota is raised',
      {
        source: { bytes: 3 * gibibyte },
        spec: { pod: { etcdEnv: [{ name: 'ETCD_QUOTA_BACKEND_BYTES', value: '8589934592' }] } },
      },
    ],
    [
      'larger than the default quota, where there is none',
      {
        source: { bytes: 3 * gibibyte },
        spec: { pod: { etcdEnv: [{ name: 'ETCD_QUOTA_BACKEND_BYTES', value: '-1' }] } },
      },
    ],
  ])('%s is taken', (_what, given) => {
    expect(why(given)).toBeUndefined();
  });

  test.each<readonly [string, Case, string]>([
    [
      'operator rule 21: without a manifest where one is required',
      { restore: { requireManifest: true } },
      'requireManifest',
    ],
    [
      'fault 49: of another cluster',
      { source: { cluster: { name: 'x', size: 1, version: '3.6.16' } } },
      'acceptForeign',
    ],
    [
      'without authentication, where the spec names a user',
      { spec: { auth: { secret: 's' } } },
      'the restored cluster would serve clients without a login. To restore the backup anyway, set spec.acceptWithoutAuth to true',
    ],
    [
      'of nobody knows which cluster, where it is encrypted',
      { source: { verified: 'Embedded', cluster: undefined }, restore: { isEncrypted: true } },
      'the backup has no manifest that was authenticated with the key of spec.encryption, so the backup may come from a cluster other than c. To restore the backup anyway, set spec.acceptForeign to true',
    ],
    [
      'encrypted, and without a manifest of its key where one is required',
      {
        source: { verified: 'Embedded', cluster: undefined },
        restore: { isEncrypted: true, acceptForeign: true, requireManifest: true },
      },
      'was not authenticated with the key of spec.encryption. Restore another backup',
    ],
    ['of a newer minor', { source: { storageVersion: '3.7.0' } }, 'spec.version'],
    [
      'of a newer minor by its manifest',
      { source: { cluster: { name: 'c', size: 1, version: '3.5.35' } }, spec: { version: '3.4.44' } },
      '3.4.44 cannot read',
    ],
    ['operator rule 23: with authentication and no credentials', { source: { authEnabled: true } }, 'spec.auth'],
    ['larger than the quota', { source: { bytes: 3 * gibibyte } }, 'ETCD_QUOTA_BACKEND_BYTES'],
    ['too large for the volume', { source: { bytes: gibibyte }, spec: claim('1Gi') }, 'Request larger volumes'],
  ])('%s is refused', (_what, given, words) => {
    expect(why(given)).toContain(words);
  });
});

describe('the revision that is expected', () => {
  test.each([
    ['3.4.23', 40],
    ['3.4.44', 1_040],
    ['3.5.35', 1_040],
    ['3.7.3', 1_040],
  ])('with the tool of %s is %i', (version, revision) => {
    const desired = desiredOf('c', { size: 1, version });
    if ('problems' in desired) throw new Error('unexpected');
    expect(expectedRevision(modelSource, restore, desired, 0)).toBe(revision);
  });

  test.each([
    ['that ends with an entry', 40, undefined, 1_000],
    ['that nothing was ever written to', 1, 0, 1_001],
    ['whose keys were all deleted and compacted away', 40, 0, 1_040],
    ['whose last deletion was compacted away', 40, 37, 1_003],
  ])(
    'of a store %s is above it by what was asked for: the tool counts from the newest entry',
    (_what, revision, newestEntry, tool) => {
      const desired = desiredOf('c', { size: 1, version: '3.6.16' });
      if ('problems' in desired) throw new Error('unexpected');
      const source = { ...modelSource, revision, newestEntry };
      expect(expectedRevision(source, { ...restore, revisionBump: 1_000 }, desired, 0)).toBe(revision + 1_000);
      expect(bumpForTool(source, 1_000, 0)).toBe(tool);
      expect(bumpForTool(source, 0, 0)).toBe(0);
      expect(expectedRevision(source, { ...restore, revisionBump: 0 }, desired, 0)).toBe(revision);
    },
  );
});

describe('the revision of a member that is recovered from again and again', () => {
  const desired = desiredOf('c', { size: 1, version: '3.6.16' });
  if ('problems' in desired) throw new Error('unexpected');
  const bump = 1_000_000_000;
  const facts = { ...restore, revisionBump: bump };
  const target = { exists: true, desired, limits: limitsOf({ size: 1, version: '3.6.16' }) };

  test('is raised by what was asked for each time, and not doubled', () => {
    let revision = 50;
    for (let times = 0; times < 1_000; times++) {
      // Its log has two more entries than its database.
      const source = { ...modelSource, revision: revision + 2, newestEntry: revision, verified: 'Survivor' } as const;
      expect(whyUnfit(source, facts, target)).toBeUndefined();
      revision = source.revision + bumpForTool(source, bump, source.revision);
    }
    expect(revision).toBe(50 + 1_000 * (bump + 4));
  });

  test('is refused before it is too high, where its newest entry is unknown', () => {
    let source: SourceFacts = { ...modelSource, revision: 50, verified: 'Live' };
    let times = 0;
    for (; whyUnfit(source, facts, target) === undefined; times++)
      source = { ...source, revision: source.revision + bumpForTool(source, bump, source.revision) };
    expect(times).toBe(23);
    expect(Number.isSafeInteger(source.revision)).toBe(true);
    expect(whyUnfit(source, facts, target)).toContain('Set spec.revisionBump to 0');
    expect(whyUnfit(source, { ...facts, revisionBump: 0 }, target)).toBeUndefined();
  });
});

describe('the revision that is expected, of a backup that is older than the previous incarnation', () => {
  const desired = desiredOf('c', { size: 1, version: '3.6.16' });
  if ('problems' in desired) throw new Error('unexpected');
  const source = { ...modelSource, revision: 40, newestEntry: 37 };
  const seen = 1_055;

  test('is above what clients have seen of that incarnation', () => {
    expect(expectedRevision(source, { ...restore, revisionBump: 1_000 }, desired, seen)).toBe(2_055);
    expect(bumpForTool(source, 1_000, seen)).toBe(2_055 - 37);
  });

  test('is that of the backup where revisions are to be kept', () => {
    expect(expectedRevision(source, { ...restore, revisionBump: 0 }, desired, seen)).toBe(40);
    expect(bumpForTool(source, 0, seen)).toBe(0);
  });

  test('is reached by what is known of a survivor before its log is applied, whatever is in the log', () => {
    const upTo = (max: number) => fc.integer({ min: 0, max });
    fc.assert(
      fc.property(upTo(50), upTo(50), upTo(9), upTo(9), upTo(200), (entry, ahead, entries, leases, above) => {
        const before = { revision: entry + ahead + entries, newestEntry: entry };
        const tool = bumpForTool({ ...source, ...before }, 1_000, above);
        // Each entry creates one revision, or none; leases that expire afterwards create more.
        for (let made = 0; made <= entries; made++) {
          const newest = leases > 0 || made > 0 ? entry + ahead + made + leases : entry;
          const found = { ...source, revision: Math.max(newest, entry + ahead), newestEntry: newest };
          const expected = expectedRevision(found, { ...restore, revisionBump: 1_000 }, desired, above);
          expect(newest + tool).toBeGreaterThanOrEqual(expected);
        }
      }),
    );
  });

  test('counts from the backup if that is newer', () => {
    expect(expectedRevision(source, { ...restore, revisionBump: 1_000 }, desired, 20)).toBe(1_040);
  });
});

describe('[96] operator rule 22: an EtcdCluster that is gone', () => {
  test('is made as the spec of the EtcdRestore says', () => {
    expect(specOfNewCluster({ ...restore, clusterSpec: { size: 5 } }, modelSource)).toEqual({ size: 5 });
  });

  test('takes size, version and volume size from the manifest, and nothing else', () => {
    const cluster = { name: 'c', size: 3, version: '3.6.16', storage: '8Gi', image: 'evil', pod: { etcdEnv: [] } };
    expect(specOfNewCluster(restore, { ...modelSource, cluster })).toEqual({
      size: 3,
      version: '3.6.16',
      pod: {
        persistentVolumeClaimSpec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '8Gi' } } },
      },
    });
  });

  test('cannot be made from nothing', () => {
    expect(specOfNewCluster(restore, { ...modelSource, cluster: undefined })).toBeUndefined();
  });
});
