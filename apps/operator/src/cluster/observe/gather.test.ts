// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { fromCaches } from './gather.ts';

test('a pod with the label of image checks that another made is none of ours', () => {
  const cluster = { metadata: { name: 'example', namespace: 'default', uid: 'ours' }, spec: { size: 3 } };
  const podOwnedBy = (uid: string) => ({
    metadata: { name: `of-${uid}`, labels: {}, ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid }] },
  });
  const member = podOwnedBy('ours');
  const labelled = { metadata: { ...member.metadata, name: 'member', labels: { etcd_cluster: 'example' } } };
  const unowned = { metadata: { name: 'finished-job' } };
  const { imageChecks } = fromCaches(cluster, {
    pods: () => [],
    imageChecks: () => [podOwnedBy('ours'), podOwnedBy('another'), labelled, unowned],
    volumes: () => [],
    service: () => undefined,
    budget: () => undefined,
    node: () => undefined,
    isNodeAbsent: () => false,
  });
  expect(imageChecks.map(({ metadata }) => metadata?.name)).toEqual(['of-ours']);
});
