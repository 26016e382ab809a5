// SPDX-License-Identifier: Apache-2.0
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensurePart, type PartOptions } from '@etcd-operator/tools';
import { isKubeError, type Namespace, type Pod, pods, type Secret, type Service } from '@operator-parts/kube';
import { createImage, type Lab } from '@operator-parts/kube-lab';
import { systemClock } from '@operator-parts/ports';
import { applyObjects } from './apply-objects.ts';
import { namespace } from './example-cluster.ts';
import type { GrowingImages } from './growing-images.ts';

const port = 9000;
/** The namespace of the server: `kubectl get pods` shows only the user's own pods. */
const home = 'playground';
const accessKey = 'playground';
const secretKey = 'playground-secret';
const image = 'playground/s3:latest';

/** The bucket of the playground's own backups, and those of the walk-through and the guide. */
const buckets = ['backups', 'mybucket', 'my-bucket'] as const;

/**
 * The settings of a backup for this store. The Secret is not named `aws`, because the walk-through creates that one.
 */
export const objectStore = {
  bucket: buckets[0],
  awsSecret: 'playground-s3',
  pod: { namespace: home, name: 's3' },
  volume: 'data',
} as const;

/** The AWS command line's files for this store, as in `~/.aws`. */
const awsFiles = {
  credentials: `[default]\naws_access_key_id = ${accessKey}\naws_secret_access_key = ${secretKey}\n`,
  config: `[default]
region = us-east-1
endpoint_url = http://s3.${home}.svc:${port}
s3 =
  addressing_style = path
`,
} as const;

/** Writes `credentials` and `config` to a folder from which users create a Secret; returns the folder. */
export async function layOutAwsFiles(lab: Lab): Promise<string> {
  const directory = join(lab.directory, 'aws');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const [name, text] of Object.entries(awsFiles)) await writeFile(join(directory, name), text, { mode: 0o600 });
  return directory;
}

export interface ObjectStoreOptions extends PartOptions {
  readonly lab: Lab;
  readonly images: GrowingImages;
  readonly signal: AbortSignal;
}

/**
 * Starts a real S3 server as a pod of the lab, with a bucket and a Secret with its credentials. Resolves when it runs.
 */
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
      .get({ namespace: home, name: 's3' }, { signal })
      .catch((error: unknown) => {
        if (isKubeError(error, 'NotFound')) return undefined;
        throw error;
      });
    if (pod?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')) return;
    await systemClock.sleep(100, signal);
  }
}

const labels = { app: 's3' };

/** The playground's own pod returns with its node, even if the node was declared lost. */
export const staying = [{ operator: 'Exists' }] as const;

const objects: readonly (Namespace | Pod | Secret | Service)[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: home } },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: objectStore.awsSecret, namespace },
    stringData: awsFiles,
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's3', namespace: home },
    spec: { selector: labels, ports: [{ name: 's3', port, targetPort: port }] },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 's3', namespace: home, labels },
    spec: {
      tolerations: [...staying],
      initContainers: [
        {
          name: 'bucket',
          image: 'busybox:1.28.0-glibc',
          command: ['mkdir', '-p', ...buckets.map((bucket) => `/data/root/${bucket}`), '/data/sidecar'],
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
