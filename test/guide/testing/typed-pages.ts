// SPDX-License-Identifier: Apache-2.0

/** All others start from its installation; it ends with removing that. */
export const installPage = 'docs/guide/install.md';

/** The pages whose commands are typed from top to bottom, in concurrent series. */
export const typedSeries = [
  [
    'docs/guide/first-cluster.md',
    'docs/guide/fields.md',
    'docs/guide/volumes.md',
    'docs/guide/authentication.md',
    'docs/guide/upgrade.md',
    'docs/guide/kubectl-etcd.md',
    'docs/guide/gitops.md',
  ],
  ['docs/guide/backup.md', 'docs/guide/restore.md', 'docs/guide/runbooks/disk-full.md'],
] as const;

export const typedPages: readonly string[] = typedSeries.flat();

/** The pages that runbooks.long.test.ts types from top to bottom, in addition to the runbooks. */
export const longPages: readonly string[] = [
  'docs/guide/sizing.md',
  'docs/guide/multi-zone.md',
  'docs/guide/openshift.md',
  'docs/guide/private-registries.md',
  'docs/guide/air-gap.md',
  'docs/guide/clients.md',
];

/** The pages that test/e2e/from-a-release.version.e2e.test.ts types on a real Kubernetes, beside nothing but the files of a release. */
export const releasePages = {
  install: 'docs/guide/from-a-release.md',
  monitoring: 'docs/guide/monitoring.md',
} as const;

/** The pages that are typed section by section: the trouble that they are for is made in between. */
export const troublePages = {
  tls: 'docs/guide/tls.md',
  certificateExpired: 'docs/guide/runbooks/certificate-expired.md',
  quorumLost: 'docs/guide/runbooks/quorum-lost.md',
  nodeGone: 'docs/guide/runbooks/node-gone.md',
  dataCorruption: 'docs/guide/runbooks/data-corruption.md',
  operatorDown: 'docs/guide/runbooks/operator-down.md',
  night: 'docs/guide/runbooks/night.md',
  crashLooping: 'docs/guide/runbooks/member-crash-looping.md',
  slowDisk: 'docs/guide/runbooks/slow-disk.md',
  backupTooOld: 'docs/guide/runbooks/backup-too-old.md',
  backupNotProven: 'docs/guide/runbooks/backup-not-proven.md',
  stalled: 'docs/guide/runbooks/stalled.md',
  restoreStuck: 'docs/guide/runbooks/restore-stuck.md',
  namespaceStuck: 'docs/guide/runbooks/namespace-stuck-deleting.md',
  report: 'docs/guide/runbooks/report.md',
  operatorUpgrade: 'docs/guide/operator-upgrade.md',
} as const;
