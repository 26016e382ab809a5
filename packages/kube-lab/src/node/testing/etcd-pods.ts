// SPDX-License-Identifier: Apache-2.0
import { type IncomingMessage, request } from 'node:http';
import { type Client, type Pod, pods, type Service, services } from '@operator-parts/kube';
import type { Lab } from '../../lab.ts';

const namespace = 'default';

/** The pod of one member of an etcd with three members, which find each other by DNS name. */
function etcdPod(name: string, all: readonly string[], change: Partial<NonNullable<Pod['spec']>> = {}): Pod {
  const url = (host: string, port: number) => `http://${host}.etcd.${namespace}.svc:${port}`;
  return {
    metadata: { name, namespace, labels: { app: 'etcd' } },
    spec: {
      hostname: name,
      subdomain: 'etcd',
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 2,
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
            `--initial-cluster=${all.map((each) => `${each}=${url(each, 2380)}`).join(',')}`,
          ],
          readinessProbe: { httpGet: { path: '/health', port: 2379 }, periodSeconds: 1 },
          volumeMounts: [{ name: 'data', mountPath: '/var/etcd' }],
        },
      ],
      volumes: [{ name: 'data', emptyDir: {} }],
      ...change,
    },
  };
}

/** The headless service that gives members their names. */
const etcdService: Service = {
  metadata: { name: 'etcd', namespace },
  spec: {
    clusterIP: 'None',
    publishNotReadyAddresses: true,
    selector: { app: 'etcd' },
    ports: [{ name: 'client', port: 2379 }],
  },
};

/** Creates the service and one pod on each node. */
export async function createEtcd(client: Client, names: readonly string[], nodes: readonly string[]): Promise<void> {
  await client.resource(services).create(etcdService);
  for (const [index, name] of names.entries()) {
    const nodeName = nodes[index];
    await client.resource(pods).create(etcdPod(name, names, nodeName ? { nodeName } : {}));
  }
}

/** Queries a member over its HTTP gateway; undefined if it does not answer correctly within two seconds. */
async function ask(lab: Lab, member: string, path: string, body?: object): Promise<unknown> {
  try {
    const socket = await lab.dial(`${member}.etcd.${namespace}.svc`, 2379);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const call = request(
        { method: body ? 'POST' : 'GET', path, createConnection: () => socket, signal: AbortSignal.timeout(2000) },
        resolve,
      );
      call.on('error', reject);
      call.end(body ? JSON.stringify(body) : undefined);
    });
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk as string;
    return response.statusCode === 200 ? (JSON.parse(text) as unknown) : undefined;
  } catch {
    return undefined;
  }
}

/** True if a write through consensus succeeds on a member. */
export async function canWrite(lab: Lab, member: string): Promise<boolean> {
  const key = Buffer.from('key').toString('base64');
  return (await ask(lab, member, '/v3/kv/put', { key, value: key })) !== undefined;
}
