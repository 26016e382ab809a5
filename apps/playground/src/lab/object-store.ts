// SPDX-License-Identifier: Apache-2.0
import { isKubeError, type Pod, pods, type Secret, type Service } from '@etcd-operator/kube';
import { createImage, type Lab } from '@etcd-operator/kube-lab';
import { systemClock } from '@etcd-operator/ports';
import { ensurePart, type PartOptions } from '@etcd-operator/tools';
import { applyObjects } from './apply-objects.ts';
import { namespace } from './example-cluster.ts';
import type { GrowingImages } from './growing-images.ts';

const port = 9000;
const accessKey = 'playground';
const secretKey = 'playground-secret';
const image = 'playground/s3:latest';

/** What a backup needs to know of the store. */
export const objectStore = {
  endpoint: `http://s3.${namespace}.svc:${port}`,
  bucket: 'backups',
  awsSecret: 'aws',
} as const;

export interface ObjectStoreOptions extends PartOptions {
  readonly lab: Lab;
  readonly images: GrowingImages;
  readonly signal: AbortSignal;
}

/** Starts a real S3 server as a pod of the lab, with a bucket and a Secret of its credentials. Resolves when it runs. */
export async function startObjectStore({ lab, images, signal, report }: ObjectStoreOptions): Promise<void> {
  const part = await ensurePart('versitygw', { signal, ...(report && { report }) });
  const source = part.programs['versitygw'] ?? '';
  const program = createImage({
    files: { entries: [{ kind: 'bind', path: '/usr/local/bin/versitygw', source }] },
    entrypoint: [],
    cmd: [],
    env: {},
  });
  images.add({ repositories: ['playground/s3'], tags: { '*': program } });
  await applyObjects(objects, { transport: lab.server.transport(), signal });
  await running(lab, signal);
}

async function running(lab: Lab, signal: AbortSignal): Promise<void> {
  for (;;) {
    const pod = await lab
      .client()
      .resource(pods)
      .get({ namespace, name: 's3' }, { signal })
      .catch((error: unknown) => {
        if (isKubeError(error, 'NotFound')) return undefined;
        throw error;
      });
    if (pod?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')) return;
    await systemClock.sleep(100, signal);
  }
}

const labels = { app: 's3' };

const objects: readonly (Pod | Secret | Service)[] = [
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: objectStore.awsSecret, namespace },
    stringData: {
      credentials: `[default]\naws_access_key_id = ${accessKey}\naws_secret_access_key = ${secretKey}\n`,
      config: '[default]\nregion = us-east-1\n',
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's3', namespace },
    spec: { selector: labels, ports: [{ name: 's3', port, targetPort: port }] },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 's3', namespace, labels },
    spec: {
      initContainers: [
        {
          name: 'bucket',
          image: 'busybox:1.28.0-glibc',
          command: ['mkdir', '-p', `/data/root/${objectStore.bucket}`, '/data/sidecar'],
          volumeMounts: [{ name: 'data', mountPath: '/data' }],
        },
      ],
      containers: [
        {
          name: 's3',
          image,
          command: [
            '/usr/local/bin/versitygw',
            `--port=:${port}`,
            '--quiet',
            'posix',
            '--sidecar=/data/sidecar',
            '/data/root',
          ],
          env: [
            { name: 'ROOT_ACCESS_KEY', value: accessKey },
            { name: 'ROOT_SECRET_KEY', value: secretKey },
          ],
          readinessProbe: { tcpSocket: { port }, periodSeconds: 1 },
          volumeMounts: [{ name: 'data', mountPath: '/data' }],
        },
      ],
      volumes: [{ name: 'data', emptyDir: {} }],
    },
  },
];
