// SPDX-License-Identifier: Apache-2.0
import { etcdBackups } from './etcd-backup.ts';
import { etcdClusters } from './etcd-cluster.ts';
import { etcdRestores } from './etcd-restore.ts';
import { type InstallCrdOptions, installCrd } from './install-crd.ts';

/** Ensures that all three kinds are served as this version declares them. */
export async function installCrds(options: InstallCrdOptions): Promise<void> {
  for (const kind of [etcdClusters, etcdBackups, etcdRestores]) await installCrd(kind, options);
}
