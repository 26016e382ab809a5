// SPDX-License-Identifier: Apache-2.0
import type { S3Server } from '@operator-parts/blob/testing';
import { pods, services } from '@operator-parts/kube';
import { createImage, type ImageSet } from '@operator-parts/kube-lab';
import type { RestoreLab } from './restore-lab.ts';

const image = 'store.test/s3';
const name = 's3';
const namespace = 'default';

/** The host name under which this process and the pods of a lab find the same objects, each on a different server. */
const storeHost = `${name}.${namespace}.svc.cluster.local`;

/**
 * The network of a lab's pods has no route to this process, so a second S3 server in that network serves the same files. The credentials of
 * the second server are in its image.
 */
export function storeImages(s3: S3Server): ImageSet {
  const { command, environment, paths } = s3.twin(`:${s3.port}`);
  const libraries = ['/lib', '/lib64', '/usr/lib', '/usr/lib64'];
  const entries = [...libraries, ...paths].map((path) => ({ kind: 'bind', path, source: path }) as const);
  const own = createImage({ files: { entries }, entrypoint: command, cmd: [], env: environment });
  return { repositories: [image], tags: { '*': own } };
}

/** Starts the second server. Returns the endpoint that works for this process and for pods. */
export async function showStoreToPods({ clusters }: RestoreLab, { port }: S3Server): Promise<string> {
  const kube = clusters.lab.client();
  const metadata = { name, namespace, labels: { store: name } };
  await kube.resource(services).create({
    metadata,
    spec: { clusterIP: 'None', selector: metadata.labels, ports: [{ port }] },
  });
  const container = { name, image, readinessProbe: { tcpSocket: { port }, periodSeconds: 1 } };
  await kube.resource(pods).create({ metadata, spec: { containers: [container] } });
  await clusters.until('the backup store serves pods', async () => {
    const { status } = await kube.resource(pods).get({ name, namespace });
    return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') || undefined;
  });
  return `http://${storeHost}:${port}`;
}
