// SPDX-License-Identifier: Apache-2.0
import { ensurePart } from '@etcd-operator/tools';
import type { Image } from '@etcd-operator/tools/image';
import { isReady } from './pods.ts';
import type { Scene } from './scene.ts';

const image = 'docker.io/local/versitygw:test';
const keys = { ROOT_ACCESS_KEY: 'test-access-key', ROOT_SECRET_KEY: 'test-secret-key-MARKER-7d20' } as const;
const port = 7070;
const root = '/data/root';

/** A real S3 server as a pod, with one bucket, and the Secret `aws` with its credentials. */
export interface ObjectStore {
  readonly bucket: string;
  readonly endpoint: string;
  /** The AWS command line's files for it. */
  readonly files: { readonly credentials: string; readonly config: string };
  /** The `s3` of a backup or a restore, for an object of the bucket. */
  at(key: string): object;
  /** Keys of all objects, without the manifests beside them. */
  keys(): Promise<readonly string[]>;
}

async function storeImage(): Promise<Image> {
  const part = await ensurePart('versitygw');
  const shell = await ensurePart('busybox');
  const program = (path: string, source: string) => ({ kind: 'file', path, content: { source }, mode: 0o755 }) as const;
  return {
    names: [image],
    files: [
      program('/bin/versitygw', part.programs['versitygw'] ?? ''),
      program('/bin/busybox', shell.programs['busybox'] ?? ''),
      { kind: 'directory', path: '/tmp', mode: 0o1777 },
    ],
    command: ['/bin/versitygw'],
  };
}

/** Starts it in the scene's namespace, which may enforce restricted pods. */
export async function startStore(scene: Scene, bucket = 'backups'): Promise<ObjectStore> {
  await scene.cluster.importImage(await storeImage());
  await scene.create(service, pod(bucket));
  const profile = '[default]\n';
  const credentials = `${profile}aws_access_key_id=${keys.ROOT_ACCESS_KEY}\naws_secret_access_key=${keys.ROOT_SECRET_KEY}\n`;
  const endpoint = `http://s3.${scene.namespace}.svc:${port}`;
  const config = `${profile}region=us-east-1\nendpoint_url=${endpoint}\ns3 =\n  addressing_style = path\n`;
  await scene.kubectl(
    'create',
    'secret',
    'generic',
    'aws',
    `--from-literal=credentials=${credentials}`,
    `--from-literal=config=${config}`,
  );
  await scene.podWhen('s3', 'ready', isReady);
  return {
    bucket,
    endpoint,
    files: { credentials, config },
    at: (key) => ({ path: `${bucket}/${key}`, awsSecret: 'aws', endpoint, forcePathStyle: true }),
    keys: async () => {
      const folder = `${root}/${bucket}`;
      const found = await scene.exec('s3', '/bin/busybox', 'find', folder, '-type', 'f');
      const names = found.split('\n').filter((line) => line !== '');
      return names.map((name) => name.slice(folder.length + 1)).filter((name) => !name.endsWith('.manifest.json'));
    },
  };
}

const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's3' },
  spec: { selector: { app: 's3' }, ports: [{ port }] },
};

function pod(bucket: string): object {
  const volumeMounts = [{ name: 'data', mountPath: '/data' }];
  const securityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
  const folders = ['/bin/busybox', 'mkdir', '-p', `${root}/${bucket}`, '/data/sidecar'];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 's3', labels: { app: 's3' } },
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 1,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 1000,
        fsGroup: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      initContainers: [{ name: 'bucket', image, command: folders, volumeMounts, securityContext }],
      containers: [
        {
          name: 's3',
          image,
          command: ['/bin/versitygw', `--port=:${port}`, '--quiet', 'posix', '--sidecar=/data/sidecar', root],
          env: Object.entries(keys).map(([name, value]) => ({ name, value })),
          readinessProbe: { tcpSocket: { port }, periodSeconds: 1 },
          volumeMounts,
          securityContext,
        },
      ],
      volumes: [{ name: 'data', emptyDir: {} }],
    },
  };
}
