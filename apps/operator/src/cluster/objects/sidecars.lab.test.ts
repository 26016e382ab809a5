// SPDX-License-Identifier: Apache-2.0

import { ensurePart } from '@etcd-operator/tools';
import { busyboxImages, etcdImages } from '@operator-parts/kube-lab';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OperatorLab } from '../../testing/operator-lab.ts';
import { noGrants } from '../grants/pod-grants.ts';

let ground: OperatorLab;
let digest: string;

beforeAll(async () => {
  const [etcd, busybox] = await Promise.all([ensurePart('etcd@3.6', { fromPath: false }), ensurePart('busybox')]);
  const { tags } = etcdImages([etcd], busybox);
  const image = tags['v3.6.16'];
  if (!image) throw new Error('the lab has no etcd 3.6.16');
  digest = image.digest;
  ground = await OperatorLab.start({
    nodes: 1,
    images: [
      { repositories: ['registry.example.com:5000/mirror/etcd'], tags: { pinned: image } },
      busyboxImages(busybox),
    ],
  });
  await ground.stopOperator();
  ground.startOperator({ grants: { ...noGrants, sidecars: ['default'] } });
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const forever = 'while :; do date > /shared/alive; sleep 1; done';
const sidecar = (script: string) => ({
  name: 'beside',
  image: 'busybox:1.28.0-glibc',
  command: ['/bin/sh', '-c', script],
  volumeMounts: [{ name: 'shared', mountPath: '/shared' }],
});

test('a member from an image by digest runs beside a sidecar, and a sidecar that crashes does not hide it', async () => {
  const image = `registry.example.com:5000/mirror/etcd@${digest}`;
  const pod = {
    sidecars: [sidecar(forever)],
    volumes: [{ name: 'shared', emptyDir: {} }],
    volumeMounts: [{ name: 'shared', mountPath: '/var/log/etcd' }],
    hostAliases: [{ ip: '10.9.8.7', hostnames: ['ldap.example.com'] }],
    updatePolicy: 'Replace',
  } as const;
  await ground.create('beside', { size: 1, version: '3.6.16', image, pod });
  await ground.settled('beside');
  const [made] = await ground.pods('beside');
  const names = made?.spec?.containers.map(({ name }) => name);
  expect(names).toEqual(['etcd', 'beside']);
  expect(made?.status?.containerStatuses?.find(({ name }) => name === 'etcd')?.image).toContain(digest);
  await ground.put('beside', 'a', '1');

  // The replacement has a sidecar that exits at once. So the pod is not Ready, but its etcd is, and the operator still manages it.
  await ground.change('beside', { pod: { ...pod, sidecars: [sidecar('exit 1')] } });
  await ground.until('replaced', async () => {
    const present = await ground.pods('beside');
    const isNew = present.length === 1 && present[0]?.metadata?.uid !== made?.metadata?.uid;
    const others = present[0]?.status?.containerStatuses?.filter(({ name }) => name !== 'etcd');
    return isNew && others?.every(({ ready }) => !ready) ? true : undefined;
  });
  await ground.until('healthy', async () => {
    const { status } = await ground.get('beside');
    return status?.memberDetails?.length === 1 && status.memberDetails[0]?.healthy ? true : undefined;
  });
  expect(await ground.read('beside', 'a')).toBe('1');

  await ground.change('beside', { pod });
  await ground.settled('beside');
  expect(await ground.read('beside', 'a')).toBe('1');
});
