// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { etcdBackups } from '../etcd-backup.ts';
import { etcdClusters } from '../etcd-cluster.ts';
import { etcdRestores } from '../etcd-restore.ts';
import { isSeen, type ObservedStatus, observedGenerationIn, unseenStatus } from './unseen-status.ts';

test.each([etcdClusters, etcdBackups, etcdRestores])('the API server shows it of every new $kind', ({ schema }) => {
  expect(schema.properties?.['status']?.default).toMatchObject(unseenStatus);
});

test.each<[(ObservedStatus & { readonly succeeded?: boolean }) | undefined, boolean, number | undefined]>([
  [undefined, false, undefined],
  [unseenStatus, false, undefined],
  [{ ...unseenStatus, succeeded: false }, false, undefined],
  // The CoreOS etcd-operator runs: its EtcdCluster is not acted upon, and says so.
  [{ ...unseenStatus, conditions: [] }, true, undefined],
  [{}, true, undefined],
  [{ observedGeneration: 2 }, true, 2],
])('of the status %j an operator is the author: %j, with generation %j', (status, seen, generation) => {
  expect(isSeen(status)).toBe(seen);
  expect(observedGenerationIn(status)).toBe(generation);
});
