// SPDX-License-Identifier: Apache-2.0

import { ensurePart } from '@etcd-operator/tools';
import { pods, services } from '@operator-parts/kube';
import { createImage, type ImageSet, type Lab } from '@operator-parts/kube-lab';

const name = 's3';
const namespace = 'default';
const port = 9_000;
const image = 'soak.test/s3';
const folder = '/data';

/** The store as backups name it. */
export const store = {
  ...{ bucket: 'backups', region: 'us-east-1', accessKeyId: 'soak', secretAccessKey: 'soak-secret' },
  endpoint: `http://${name}.${namespace}.svc:${port}`,
  pod: { namespace, name },
} as const;

/** A real S3 server, for pods. */
export async function storeImages(): Promise<ImageSet> {
  const source = (await ensurePart('versitygw')).programs['versitygw'] ?? '';
  const program = createImage({
    files: { entries: [{ kind: 'bind', path: '/usr/local/bin/versitygw', source }] },
    entrypoint: [],
    cmd: [],
    env: {},
  });
  return { repositories: [image], tags: { '*': program } };
}

/** Starts it as a pod, with its bucket. */
export async function startStore(lab: Pick<Lab, 'client'>): Promise<void> {
  const client = lab.client();
  const labels = { store: name };
  const spec = { selector: labels, ports: [{ port }] };
  await client.resource(services).create({ metadata: store.pod, spec });
  const volumeMounts = [{ name: 'data', mountPath: folder }];
  const bucket = ['mkdir', '-p', `${folder}/root/${store.bucket}`, `${folder}/sidecar`];
  const server = ['/usr/local/bin/versitygw', `--port=:${port}`, '--keep-alive', '--quiet', 'posix'];
  await client.resource(pods).create({
    metadata: { ...store.pod, labels },
    spec: {
      initContainers: [{ name: 'bucket', image: 'busybox:1.28.0-glibc', command: bucket, volumeMounts }],
      containers: [
        {
          ...{ name, image, volumeMounts },
          command: [...server, `--sidecar=${folder}/sidecar`, `${folder}/root`],
          env: [
            { name: 'ROOT_ACCESS_KEY', value: store.accessKeyId },
            { name: 'ROOT_SECRET_KEY', value: store.secretAccessKey },
          ],
          readinessProbe: { tcpSocket: { port }, periodSeconds: 1 },
        },
      ],
      volumes: [{ name: 'data', emptyDir: {} }],
    },
  });
}
