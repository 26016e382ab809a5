// SPDX-License-Identifier: Apache-2.0
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createImage, hostImage, type ImageSet } from '@etcd-operator/kube-lab';
import { ensurePart } from '@etcd-operator/tools';

/** An S3 server as a pod behind the Service `s3`, with the bucket that the guide writes to. */
export const objectStoreManifest = `
apiVersion: v1
kind: Pod
metadata:
  name: s3
  labels: { app: s3 }
spec:
  containers:
    - name: s3
      image: versitygw:test
      command: [sh, -c, "mkdir -p /data/root/my-bucket /data/sidecar && exec versitygw --port=:7070 --quiet posix --sidecar=/data/sidecar /data/root"]
      env:
        - { name: ROOT_ACCESS_KEY, value: reader }
        - { name: ROOT_SECRET_KEY, value: readers-secret }
      volumeMounts: [{ name: data, mountPath: /data }]
      readinessProbe: { tcpSocket: { port: 7070 }, periodSeconds: 1 }
  volumes: [{ name: data, emptyDir: {} }]
---
apiVersion: v1
kind: Service
metadata:
  name: s3
spec:
  selector: { app: s3 }
  ports: [{ port: 7070 }]
`;

export async function objectStoreImages(): Promise<ImageSet> {
  const { programs } = await ensurePart('versitygw');
  const { files, entrypoint, cmd, env } = hostImage({ entrypoint: [], env: { PATH: '/programs:/usr/bin:/bin' } });
  const server = { kind: 'bind' as const, path: '/programs/versitygw', source: programs['versitygw'] ?? '' };
  const image = createImage({ files: { entries: [...files.entries, server] }, entrypoint, cmd, env });
  return { repositories: ['versitygw'], tags: { test: image } };
}

/** The files of the AWS command line, as the reader has them. */
export async function writeAwsFiles(folder: string): Promise<void> {
  const keys = 'aws_access_key_id = reader\naws_secret_access_key = readers-secret\n';
  await writeFile(join(folder, 'credentials'), `[default]\n${keys}`);
  await writeFile(join(folder, 'config'), '[default]\nregion = us-east-1\n');
}
