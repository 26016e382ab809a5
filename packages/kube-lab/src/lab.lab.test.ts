// SPDX-License-Identifier: Apache-2.0
import { type Pod, pods, type Service, services } from '@etcd-operator/kube';
import { ensurePart } from '@etcd-operator/tools';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { etcdImages } from './images/etcd-images.ts';
import { createImageTable } from './images/image-table.ts';
import { type Lab, startLab } from './lab.ts';

let lab: Lab;

beforeAll(async () => {
  const etcd = await ensurePart('etcd@3.6');
  lab = await startLab({ nodes: 1, images: createImageTable([etcdImages([etcd])]) });
});

afterAll(() => lab?.stop());

const members = ['etcd-0', 'etcd-1', 'etcd-2'];

function member(name: string): Pod {
  const url = (host: string, port: number) => `http://${host}.etcd.default.svc:${port}`;
  return {
    metadata: { name, namespace: 'default', labels: { app: 'etcd' } },
    spec: {
      hostname: name,
      subdomain: 'etcd',
      containers: [
        {
          name: 'etcd',
          image: 'quay.io/coreos/etcd:v3.6.16',
          command: ['/usr/local/bin/etcd'],
          args: [
            `--name=${name}`,
            '--data-dir=/var/etcd/data',
            '--listen-peer-urls=http://0.0.0.0:2380',
            '--listen-client-urls=http://0.0.0.0:2379',
            `--initial-advertise-peer-urls=${url(name, 2380)}`,
            `--advertise-client-urls=${url(name, 2379)}`,
            `--initial-cluster=${members.map((each) => `${each}=${url(each, 2380)}`).join(',')}`,
          ],
          readinessProbe: { httpGet: { path: '/health', port: 2379 }, periodSeconds: 1 },
        },
      ],
      restartPolicy: 'Never',
    },
  };
}

test('three etcd pods behind a headless service become ready by name', async () => {
  const client = lab.client();
  const service: Service = {
    metadata: { name: 'etcd', namespace: 'default' },
    spec: {
      clusterIP: 'None',
      publishNotReadyAddresses: true,
      selector: { app: 'etcd' },
      ports: [{ name: 'client', port: 2379 }],
    },
  };
  await client.resource(services).create(service);
  for (const name of members) await client.resource(pods).create(member(name));
  await expect
    .poll(async () => {
      const { items } = await client.resource(pods).list({ namespace: 'default' });
      return items.filter((pod) => pod.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True'))
        .length;
    })
    .toBe(3);
});
