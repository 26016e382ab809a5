// SPDX-License-Identifier: Apache-2.0
/**
 * The etcd operator as a library: the kinds it serves and the operators themselves, for programs that embed them (the
 * playground, tests). The programs of the image are in `programs/`.
 */
export { type EtcdCluster, type EtcdClusterSpec, type EtcdClusterStatus, etcdClusters } from './api/etcd-cluster.ts';
export { conditionReasons, conditionTypes, eventReasons } from './api/reasons.ts';
export { operatorImageName } from './image.ts';
export { type OperatorOptions, runEtcdOperator } from './operator.ts';
export { podLogReader } from './programs/pod-log-reader.ts';
