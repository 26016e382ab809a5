// SPDX-License-Identifier: Apache-2.0
import { createClient, type Pod, pods } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { describe, expect, test } from 'vitest';
import { clusterWith } from '../../testing/api-server-scene.ts';
import { memberPod } from '../objects/member-pod.ts';
import { podFacts } from '../observe/pod-facts.ts';
import type { ActContext } from './act-context.ts';
import { setImage } from './pod-steps.ts';
import { contextOf } from './testing/context-of.ts';

const cluster = clusterWith('c', { size: 3, version: '3.5.35' }, { uid: 'u1' });
const sidecar = { name: 'mesh', image: 'example.com/mesh:1' };

const context = () => contextOf(createClient(createApiServer({}).transport()), cluster);

/** A member's pod into which a webhook has inserted a container in front of ours. */
async function injectedPod({ client, desired, tlsKeys }: ActContext): Promise<Pod> {
  const identity = { name: 'c', namespace: 'default', uid: 'u1' };
  const boot = { state: 'new' } as const;
  const made = memberPod({
    cluster: identity,
    desired,
    spec: cluster.spec,
    name: 'c-m1',
    incarnation: 1,
    boot,
    tlsKeys,
  });
  const spec = { ...made.spec, containers: [sidecar, ...(made.spec?.containers ?? [])] };
  return client.resource(pods).create({ ...made, spec });
}

describe('[64] a container in front of ours', () => {
  test('is not upgraded in its place', async () => {
    const ground = context();
    const { metadata } = await injectedPod(ground);
    const outcome = await setImage(
      {
        do: 'setImage',
        pod: 'c-m1',
        uid: metadata?.uid ?? '',
        resourceVersion: metadata?.resourceVersion ?? '',
        from: '3.5.35',
        version: '3.6.16',
        image: 'quay.io/coreos/etcd:v3.6.16',
        snapshotCount: '',
        container: 'containerd://1',
        rollbackTo: { version: '3.5.35', image: 'quay.io/coreos/etcd:v3.5.35' },
        onVolume: false,
        because: 'asked',
      },
      ground,
    );
    expect(outcome).toEqual({ kind: 'done' });
    const after = await ground.client.resource(pods).get({ namespace: 'default', name: 'c-m1' });
    expect(after.spec?.containers.map(({ name, image }) => [name, image])).toEqual([
      ['mesh', sidecar.image],
      ['etcd', 'quay.io/coreos/etcd:v3.6.16'],
    ]);
    expect(after.metadata?.annotations?.['etcd.version']).toBe('3.6.16');
  });

  test('is not taken for etcd when the pod is looked at', async () => {
    const pod = await injectedPod(context());
    const statuses = [
      { name: 'mesh', state: { running: {} }, restartCount: 7, image: '', imageID: '', ready: true },
      { name: 'etcd', state: { waiting: { reason: 'Slow' } }, restartCount: 1, image: '', imageID: '', ready: false },
    ];
    const facts = podFacts({ ...pod, status: { containerStatuses: statuses } }, 'u1', cluster.spec, () => 1);
    expect(facts.image).toBe('quay.io/coreos/etcd:v3.5.35');
    expect(facts.container).toMatchObject({ state: 'waiting', reason: 'Slow', restarts: 1 });
    expect(facts.adopted).toBe(false);
  });
});
