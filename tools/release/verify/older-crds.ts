// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type { CustomResourceDefinition, KubeObject } from '@operator-parts/kube';
import type { Cluster } from '../../cluster/index.ts';

/** The CRDs of commit 82c5768a, the first that has all three kinds: what an upgrade begins with at worst. */
export function olderCRDs(): readonly CustomResourceDefinition[] {
  const text = gunzipSync(readFileSync(join(import.meta.dirname, 'older-crds.json.gz'))).toString();
  return (JSON.parse(text) as { readonly items: readonly CustomResourceDefinition[] }).items;
}

/** An object of each kind, with fields that the older CRDs have. */
export function olderObjects(namespace: string): readonly KubeObject[] {
  const apiVersion = 'etcd.database.coreos.com/v1beta2';
  const metadata = { name: 'kept', namespace };
  const s3 = { path: 'bucket/key', awsSecret: 'aws' };
  const store = { storageType: 'S3', s3 };
  const objects = [
    { apiVersion, kind: 'EtcdCluster', metadata, spec: { size: 1, version: '3.6.16', pod: { labels: { a: 'b' } } } },
    { apiVersion, kind: 'EtcdBackup', metadata, spec: { ...store, etcdEndpoints: ['http://kept-client:2379'] } },
    {
      apiVersion,
      kind: 'EtcdRestore',
      metadata,
      spec: { etcdCluster: { name: 'kept' }, backupStorageType: 'S3', s3 },
    },
  ];
  return objects;
}

/** The CRDs in the cluster that differ from these in what they say of their kinds. */
export async function outdatedCRDs(
  cluster: Cluster,
  wanted: readonly CustomResourceDefinition[],
): Promise<readonly string[]> {
  const outdated: string[] = [];
  for (const { metadata, spec } of wanted) {
    const name = metadata?.name ?? '';
    const text = await cluster.kubectl(['get', 'crd', name, '--output=json']);
    const found = JSON.parse(text) as CustomResourceDefinition;
    const says = ({ versions }: CustomResourceDefinition['spec']) =>
      versions.map(({ schema, additionalPrinterColumns }) => ({ schema, additionalPrinterColumns }));
    if (!isDeepStrictEqual(says(found.spec), says(spec))) outdated.push(name);
  }
  return outdated;
}
