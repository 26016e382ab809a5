// SPDX-License-Identifier: Apache-2.0
import { cel } from '@operator-parts/crd';

const isFromSurvivor = 'has(self.source) && has(self.source.survivor)';
const isFromCluster = 'has(self.source) && has(self.source.cluster)';
export const isWithoutBackup = 'has(self.source) && (has(self.source.survivor) || has(self.source.cluster))';

export const sourceRules = [
  cel(
    `!has(self.source) || has(self.source.survivor) != has(self.source.cluster)`,
    'the field `source` must have exactly one of the fields `survivor` and `cluster`',
    { fieldPath: '.source' },
  ),
  cel(
    `!(${isWithoutBackup}) || (!has(self.backupStorageType) && !has(self.s3) && !has(self.abs) && !has(self.gcs) && !has(self.oss) && !has(self.directory))`,
    'the field `source` and a backup cannot be used together, because `source` takes the data from members: remove `source`, or remove backupStorageType, s3, abs, gcs, oss and directory',
    { fieldPath: '.source' },
  ),
  cel(
    `!(${isFromSurvivor}) || !has(self.clusterSpec)`,
    'source.survivor recovers an existing EtcdCluster, so clusterSpec cannot be used: remove clusterSpec',
    { fieldPath: '.source' },
  ),
  cel(
    `!(${isFromCluster}) || self.source.cluster != self.etcdCluster.name`,
    'source.cluster and etcdCluster.name cannot be the same: set etcdCluster.name to the name of the new EtcdCluster, which must not exist yet',
    { fieldPath: '.source' },
  ),
];

export const pointRules = [
  cel(
    `!has(self.pointInTime) || has(self.pointInTime.time) != has(self.pointInTime.revision)`,
    'the field `pointInTime` must have exactly one of the fields `time` and `revision`',
    { fieldPath: '.pointInTime' },
  ),
  cel(
    `!has(self.pointInTime) || !(${isWithoutBackup})`,
    'the fields `pointInTime` and `source` cannot be used together, because pointInTime restores a backup: remove one of them',
    { fieldPath: '.pointInTime' },
  ),
];

export const prefixRules = [
  cel(
    `!has(self.prefixes) || !(${isWithoutBackup})`,
    'the fields `prefixes` and `source` cannot be used together, because the keys with these prefixes are restored from a backup: remove one of them',
    { fieldPath: '.prefixes' },
  ),
  cel(
    '!has(self.prefixes) || (!has(self.clusterSpec) && !has(self.oldVolumes) && !has(self.revisionBump))',
    'the field `prefixes` restores keys into an existing cluster: remove clusterSpec, oldVolumes and revisionBump',
    { fieldPath: '.prefixes' },
  ),
  cel('has(self.prefixes) || (!has(self.dryRun) && !has(self.onConflict))', 'dryRun and onConflict need prefixes', {
    fieldPath: '.prefixes',
  }),
];
