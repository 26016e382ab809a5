// SPDX-License-Identifier: Apache-2.0
/**
 * The etcd operator as a library, for programs that embed it (the playground, `kubectl etcd`, tests): the kinds that it serves, the
 * operators, and how the cluster operator observes and plans. The programs of the image are in `programs/`.
 */
export { type AllOperatorsOptions, runOperators } from './all-operators.ts';
export { type EtcdBackup, type EtcdBackupSpec, type EtcdBackupStatus, etcdBackups } from './api/etcd-backup.ts';
export { type EtcdCluster, type EtcdClusterSpec, type EtcdClusterStatus, etcdClusters } from './api/etcd-cluster.ts';
export { type EtcdRestore, etcdRestores } from './api/etcd-restore.ts';
export { clientServiceName, clusterSelector } from './api/names.ts';
export { backupEventReasons, conditionReasons, conditionTypes, eventReasons } from './api/reasons.ts';
export { scopeOf } from './api/scope.ts';
export { observedGenerationIn } from './api/status/unseen-status.ts';
export { type KeptBy, keptByRules } from './backup/listing/retention-words.ts';
export { type ListedBackup, listStored, type StoredPath } from './backup/listing/stored-list.ts';
export { type BackupOperatorOptions, runEtcdBackupOperator } from './backup-operator.ts';
export { EtcdObserver } from './cluster/etcd/etcd-observer.ts';
export type { ClusterCredentials } from './cluster/etcd/member-pool.ts';
export { paths as memberPaths } from './cluster/objects/etcd-container.ts';
export type { Answer, EtcdMember, MemberPod, MemberVolume, Observation } from './cluster/observation.ts';
export { type ClusterObjects, fromServer } from './cluster/observe/gather.ts';
export { kubernetesView, observe, targetsOf } from './cluster/observe/observe.ts';
export type { Assessment } from './cluster/plan/assessment.ts';
export { type Plan, planCluster } from './cluster/plan/plan.ts';
export { isCutOff } from './cluster/plan/quorum/unreachable.ts';
export type { PlannedStep, Step } from './cluster/plan/step.ts';
export { ClusterSecrets } from './cluster/secrets/cluster-secrets.ts';
export { type ClusterOperatorOptions, runEtcdOperator } from './cluster-operator.ts';
export { type ControllerName, controllerNames } from './controller-names.ts';
export { counted, isOrAre } from './counted.ts';
export { operatorImageName } from './image.ts';
export { memberPorts } from './member-ports.ts';
export type { OperatorOptions } from './prepare-operator.ts';
export { podLogReader } from './programs/pod-log-reader.ts';
export { copyPoint } from './restore/point-in-time/copy-point.ts';
export { type CopyFile, copyBackup, type LocalCopy } from './restore/source/local-copy.ts';
export { type RestoreOperatorOptions, runEtcdRestoreOperator } from './restore-operator.ts';
export { leaseName, programNames } from './scope/operator-scope.ts';
export { specKeys } from './storage/encryption/secret-keys.ts';
export { type Manifest, manifestPath, parseManifest } from './storage/manifest.ts';
export { type OpenedStorage, openStore, type StorageRequest } from './storage/open-store.ts';
export { secretReader } from './storage/secret-reader.ts';
export { pathBeside } from './storage/storage-place.ts';
export { storeSnapshot } from './storage/store-snapshot.ts';
export { version } from './version.ts';
