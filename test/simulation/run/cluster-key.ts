// SPDX-License-Identifier: Apache-2.0

/** The one EtcdCluster of every run. */
export const clusterKey = { namespace: 'default', name: 'db' };
