// SPDX-License-Identifier: Apache-2.0
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { persistentVolumeClaims, secrets } from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { annotations, labels } from '../api/names.ts';
import { RestoreLab } from './testing/restore-lab.ts';

/** Everything by which a user would notice a change to a cluster. */
async function traces(lab: RestoreLab, name: string) {
  const { metadata, spec } = await lab.clusters.get(name);
  const pods = await lab.clusters.pods(name);
  return {
    generation: metadata?.generation,
    annotations: { ...metadata?.annotations, [annotations.usedIncarnation]: '' },
    spec,
    pods: pods.map((pod) => [
      pod.metadata?.uid,
      pod.metadata?.labels?.[labels.app],
      pod.status?.containerStatuses?.[0]?.restartCount,
    ]),
  };
}

describe('a restore that is refused or fails', () => {
  let lab: RestoreLab;
  beforeAll(async () => {
    lab = await RestoreLab.start({ nodes: 1 });
    await lab.clusters.create('kept', { size: 1, version: '3.6.16' });
    await lab.clusters.settled('kept');
    await lab.clusters.put('kept', 'foo', 'bar');
    await lab.snapshot('kept', 'good.db');
    await lab.clusters.put('kept', 'foo', 'newer');
  });
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
  });

  test('D16 D17 [92] [93] fault 49: a broken source: the cluster is untouched, the reason is said, and a corrected one succeeds', async () => {
    const before = await traces(lab, 'kept');
    const good = await readFile(lab.file('good.db'));
    await writeFile(lab.file('cut.db'), good);
    await truncate(lab.file('cut.db'), good.byteLength - 5000);
    const flipped = Buffer.from(good);
    flipped[20_000] = (flipped[20_000] ?? 0) ^ 4;
    await writeFile(lab.file('flipped.db'), flipped);
    await writeFile(lab.file('text.db'), 'this is no snapshot');
    for (const [name, path, why] of [
      ['cut', 'cut.db', 'bytes'],
      ['flipped', 'flipped.db', 'hash'],
      ['text', 'text.db', 'not a snapshot'],
      ['missing', 'missing.db', 'missing.db'],
    ] as const) {
      await lab.restore(name, path, { cluster: 'kept' });
      const status = await lab.ended(name);
      expect(status).toMatchObject({ succeeded: false, phase: 'Failed' });
      expect(status.reason).toContain(why);
    }
    expect(await traces(lab, 'kept')).toEqual(before);
    expect(await lab.clusters.read('kept', 'foo')).toBe('newer');
    await lab.change('cut', { directory: { path: 'good.db' } });
    await lab.clusters.until('restored after all', async () =>
      (await lab.get('cut')).status?.succeeded ? true : undefined,
    );
    await lab.clusters.settled('kept');
    expect(await lab.clusters.read('kept', 'foo')).toBe('bar');
  });

  test('a misspelt field is named in a condition until it is removed', async () => {
    const misspelt = { cluster: 'kept', safetySnapshott: false };
    await lab.restore('typo', 'missing.db', misspelt);
    const { conditions } = await lab.ended('typo');
    expect(conditions).toMatchObject([
      { type: 'Complete', status: 'False' },
      {
        type: 'UnknownFields',
        status: 'True',
        reason: 'NotInSchema',
        message:
          'spec.safetySnapshott is not a field of an EtcdRestore and is ignored. Correct the name of the field, or remove the field.',
      },
      { type: 'Ready', status: 'False' },
      { type: 'Stalled', status: 'True' },
    ]);
    const corrected = { safetySnapshot: false, safetySnapshott: null };
    await lab.change('typo', corrected);
    await lab.clusters.until('the condition is gone', async () => {
      const { status } = await lab.get('typo');
      return status?.conditions?.some(({ type }) => type === 'UnknownFields') ? undefined : true;
    });
  });

  test('D16 [92] [93] [96] a broken source into a name that is free: the same reason, and nothing is left of what was made', async () => {
    const good = await readFile(lab.file('good.db'));
    const flipped = Buffer.from(good);
    // A place that is checked only after every byte was read.
    flipped[good.byteLength - 33] = (flipped[good.byteLength - 33] ?? 0) ^ 1;
    await writeFile(lab.file('late.db'), flipped);
    const persistentVolumeClaimSpec = {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
    } as const;
    const clusterSpec = { size: 1, version: '3.6.16', pod: { persistentVolumeClaimSpec } };
    for (const [name, path, why] of [
      ['early', 'flipped.db', 'its content does not match the hash at its end'],
      ['late', 'late.db', 'its content does not match the hash at its end'],
      ['short', 'cut.db', 'is not a snapshot, or is incomplete'],
    ] as const) {
      await lab.restore(name, path, { clusterSpec });
      const status = await lab.ended(name);
      expect(status).toMatchObject({ succeeded: false, phase: 'Failed' });
      expect(status.reason).toContain(why);
      await expect(lab.clusters.get(name)).rejects.toThrow('not found');
    }
    expect(lab.log.some(({ fields }) => fields['do'] === 'deleteCluster')).toBe(true);
    await lab.clusters.until('nothing is left', async () => {
      const kube = lab.clusters.lab.client();
      const of = { namespace: 'default' };
      const [claims, keys] = [
        (await kube.resource(persistentVolumeClaims).list(of)).items,
        (await kube.resource(secrets).list(of)).items,
      ];
      const left = [...claims, ...keys, ...(await lab.clusters.pods('late'))];
      return left.length === 0 ? true : undefined;
    });
  });

  test('pods that the administrator does not allow: nothing is made or touched, for an EtcdCluster that is there or not', async () => {
    const pod = { containerSecurityContext: { privileged: true } };
    const before = await traces(lab, 'kept');
    await lab.clusters.change('kept', { pod });
    await lab.restore('into-kept', 'good.db', { cluster: 'kept' });
    await lab.restore('privileged', 'good.db', { clusterSpec: { size: 1, version: '3.6.16', pod } });
    for (const name of ['into-kept', 'privileged']) {
      const status = await lab.ended(name);
      expect(status).toMatchObject({ succeeded: false, phase: 'Failed' });
      expect(status.reason).toContain('-allow-privileged-pods=default');
    }
    await expect(lab.clusters.get('privileged')).rejects.toThrow('not found');
    await lab.clusters.change('kept', { pod: null });
    await lab.clusters.settled('kept');
    expect((await traces(lab, 'kept')).pods).toEqual(before.pods);
  });

  test('[93] [100] a member that cannot be made: the old members return behind the Services with all their data', async () => {
    await lab.clusters.put('kept', 'foo', 'precious');
    const before = await traces(lab, 'kept');
    // The tool of this version does not exist: the image cannot be pulled.
    await lab.clusters.change('kept', { repository: 'quay.io/coreos/missing', paused: true });
    await lab.restore('doomed', 'good.db', { cluster: 'kept', timeout: '6s' });
    const status = await lab.ended('doomed');
    expect(status).toMatchObject({ succeeded: false, phase: 'Failed' });
    expect(status.reason).toContain('not restored within 6 s');
    await lab.clusters.change('kept', { repository: 'quay.io/coreos/etcd', paused: false });
    const { status: after } = await lab.clusters.settled('kept');
    expect(after?.incarnation).toBe(2);
    expect((await traces(lab, 'kept')).pods).toEqual(before.pods);
    expect(await lab.clusters.read('kept', 'foo')).toBe('precious');
  });

  test('[99] deleted before it has succeeded, leaves the cluster as it was', async () => {
    const before = await traces(lab, 'kept');
    await lab.clusters.change('kept', { repository: 'quay.io/coreos/missing', paused: true });
    await lab.restore('given-up', 'good.db', { cluster: 'kept' });
    await lab.clusters.until('a seed is being made', async () =>
      (await lab.get('given-up')).status?.phase === 'Seeding' ? true : undefined,
    );
    await lab.delete('given-up');
    await lab.clusters.until('gone', () =>
      lab.get('given-up').then(
        () => undefined,
        () => true,
      ),
    );
    await lab.clusters.change('kept', { repository: 'quay.io/coreos/etcd', paused: false });
    await lab.clusters.settled('kept');
    expect((await traces(lab, 'kept')).pods).toEqual(before.pods);
    expect(await lab.clusters.read('kept', 'foo')).toBe('precious');
  });

  test('[96] a paused cluster is restored all the same, and stays paused', async () => {
    await lab.clusters.change('kept', { paused: true });
    await lab.restore('while-paused', 'good.db', { cluster: 'kept' });
    await lab.succeeded('while-paused');
    const { spec, status } = await lab.clusters.get('kept');
    expect(spec.paused).toBe(true);
    expect(status?.incarnation).toBeGreaterThan(3);
    expect(await lab.clusters.read('kept', 'foo')).toBe('bar');
  });
});
