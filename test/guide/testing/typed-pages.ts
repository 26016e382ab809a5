// SPDX-License-Identifier: Apache-2.0

/** All others start from what it installs; it ends with removing that. */
export const installPage = 'docs/guide/install.md';

/** The pages whose commands are typed, in the order in which they are. */
export const typedPages = [
  'docs/guide/first-cluster.md',
  'docs/guide/fields.md',
  'docs/guide/volumes.md',
  'docs/guide/tls.md',
  'docs/guide/authentication.md',
  'docs/guide/upgrade.md',
  'docs/guide/kubectl-etcd.md',
  'docs/guide/backup.md',
  'docs/guide/restore.md',
  'docs/guide/runbooks/disk-full.md',
];
