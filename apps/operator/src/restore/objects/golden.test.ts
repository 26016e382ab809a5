// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import type { EtcdClusterSpec } from '../../api/etcd-cluster.ts';
import { desiredOf } from '../../cluster/desired.ts';
import { restoreSecret } from './restore-secret.ts';
import { seedPod } from './seed-pod.ts';

/** Every object that a restore creates, as it is sent: one file each below golden/. After an intended change, run with `--update`. */
async function expectGolden(name: string, object: unknown): Promise<void> {
  await expect(`${JSON.stringify(object, undefined, 2)}\n`).toMatchFileSnapshot(`golden/${name}.json`);
}

const source = {
  restoreUid: '7d0c2f6e-3f0e-4c44-8b37-5b4f0a5b9c11',
  secretName: 'example-restore-7d0c2f6e',
  agent: { image: 'quay.io/etcd-operator/etcd-operator:v0', namespace: 'default', pullSecrets: [] },
  revisionBump: 1000,
};

function podOf(spec: EtcdClusterSpec) {
  const cluster = { name: 'example', namespace: 'default', uid: '0b7a3c3e-6c2f-4f52-9a3e-6b1f5d1c2a77' };
  const desired = desiredOf(cluster.name, spec);
  if ('problems' in desired) throw new Error(desired.problems.join('; '));
  const tlsKeys = { peer: 'own', server: 'own', client: 'own' } as const;
  return seedPod({ cluster, desired, spec, name: 'example-bcdfghjklm', incarnation: 2, tlsKeys }, source);
}

const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } as const;
const secured = {
  static: { member: { peerSecret: 'etcd-peer', serverSecret: 'etcd-server' }, operatorSecret: 'etcd-client' },
} as const;

describe('the objects of a restore', () => {
  test.each<[string, EtcdClusterSpec]>([
    ['seed-pod', { size: 3, version: '3.6.16' }],
    ['seed-pod-of-3.4.44', { size: 3, version: '3.4.44' }],
    ['seed-pod-on-volume', { size: 3, version: '3.6.16', pod: { persistentVolumeClaimSpec: claim } }],
    ['seed-pod-tls', { size: 3, version: '3.6.16', TLS: secured }],
  ])('%s', async (file, spec) => {
    await expectGolden(file, podOf(spec));
  });

  test('the secret', async () => {
    const restore = { name: 'example', namespace: 'default', uid: source.restoreUid };
    await expectGolden('restore-secret', restoreSecret(restore, new Uint8Array(32)));
  });
});
