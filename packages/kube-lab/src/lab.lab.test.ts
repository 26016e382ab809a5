// SPDX-License-Identifier: Apache-2.0

import { ensurePart } from '@etcd-operator/tools';
import { pods } from '@operator-parts/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { etcdImages } from './images/etcd-images.ts';
import { createImageTable } from './images/image-table.ts';
import { type Lab, startLab } from './lab.ts';
import { createEtcd } from './node/testing/etcd-pods.ts';

let lab: Lab;

beforeAll(async () => {
  const etcd = await ensurePart('etcd@3.6');
  lab = await startLab({ nodes: 1, images: createImageTable([etcdImages([etcd])]) });
});

afterAll(() => lab?.stop());

test('three etcd pods behind a headless service become ready by name', async () => {
  const client = lab.client();
  await createEtcd(client, ['etcd-0', 'etcd-1', 'etcd-2'], []);
  await expect
    .poll(async () => {
      const { items } = await client.resource(pods).list({ namespace: 'default' });
      return items.filter((pod) => pod.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True'))
        .length;
    })
    .toBe(3);
});
