// SPDX-License-Identifier: Apache-2.0
/** Every label, annotation and fixed name that the operator writes or reads, in one place. */

/** The API group of the three kinds, and the prefix of our own labels and annotations. */
export const group = 'etcd.database.coreos.com';

/** Labels of CoreOS etcd-operator. Services select by them; users must not set them. */
export const labels = {
  app: 'app',
  cluster: 'etcd_cluster',
  node: 'etcd_node',
  /** Which life of the cluster an object belongs to. */
  incarnation: `${group}/incarnation`,
  /** On pods of promoted voters only; the disruption budget selects it. */
  voter: `${group}/voter`,
  /** On throw-away pods that prove an image; holds the cluster's name. Never together with `app`. */
  imageCheck: `${group}/image-check`,
  /** On throw-away pods that prove a backup: UID of the EtcdBackup. Never together with `app`. */
  proof: `${group}/proof`,
  /** On volumes of a previous incarnation: UID of the EtcdRestore that replaced it and kept them. */
  keptByRestore: `${group}/kept-by-restore`,
  /** Set by users on Secrets that backups and restores may use; see `secretUse`. */
  use: `${group}/use`,
} as const;

/** The value of the label `use` on Secrets with credentials of stores, certificates and logins for backups and restores. */
export const secretUse = 'backup';

export const annotations = {
  /** The version a pod runs, or that last served from a volume, without `v`. CoreOS's name. */
  version: 'etcd.version',
  /** What the pod ran before an image patch that has not been proven yet. */
  previousVersion: `${group}/previous-version`,
  previousImage: `${group}/previous-image`,
  /** The container that ran when the image was patched: what proves the patch comes from another one. */
  previousContainer: `${group}/previous-container`,
  /** Boot values, read by the pod through the downward API at every start of its container. */
  initialCluster: `${group}/initial-cluster`,
  initialClusterState: `${group}/initial-cluster-state`,
  initialClusterToken: `${group}/initial-cluster-token`,
  snapshotCount: `${group}/snapshot-count`,
  /** Identity, on the EtcdCluster, its pods and its volumes. */
  clusterId: `${group}/cluster-id`,
  memberId: `${group}/member-id`,
  incarnation: `${group}/incarnation`,
  /** The version the cluster was founded with, on the EtcdCluster. */
  bootstrapVersion: `${group}/born-version`,
  /** On volumes: which listeners of their member speak TLS, as `peer`, `client`, `peer,client` or empty. */
  tls: `${group}/tls`,
  /** On pods whose volume claim was made together with them: `true`. */
  freshVolume: `${group}/fresh-volume`,
  /** On the EtcdCluster while an EtcdRestore creates its next incarnation; see `restore-marker.ts`. */
  restore: `${group}/restore`,
  /** On the EtcdCluster: the highest incarnation that was ever begun, also if its restore failed. */
  usedIncarnation: `${group}/used-incarnation`,
  /** On the EtcdCluster: UID of the EtcdRestore that brought its present life. */
  restoredBy: `${group}/restored-by`,
  /** On the pod of an old member that was started for a safety snapshot: UID of the EtcdRestore that did. */
  startedByRestore: `${group}/started-by-restore`,
  /** On the seed of a restore: the last argument of the restoring tool; `--help` once the data is there. */
  restoreSwitch: `${group}/restore-switch`,
  /** A digest of everything in a pod that can only be changed by making a new one. */
  template: `${group}/template`,
  /** On pods and the client Service: which labels and annotations came from the spec; those that leave it are removed. */
  fromSpec: `${group}/from-spec`,
  /** The digest of resources that the API server would not give a living pod. */
  resizeRefused: `${group}/resize-refused`,
  /** `clusterwide` leaves an object to an operator of all namespaces, `namespaced` to one of its own namespace. */
  scope: `${group}/scope`,
  /** The namespace of the cluster-wide operator that manages the object. */
  managedBy: `${group}/managed-by`,
} as const;

/** Is it a label or an annotation that only the operator writes? */
export const isOperatorKey = (key: string): boolean => key.startsWith(`${group}/`) || key === annotations.version;

/** What a disarmed pod boots with: ignored where there is data, refused by etcd where there is none. */
export const clearedInitialCluster = 'disarmed=http://127.0.0.1:1';

/** The field manager of everything the operator applies. */
export const fieldManager = 'etcd-operator';

export const clientServiceName = (cluster: string): string => `${cluster}-client`;
export const peerServiceName = (cluster: string): string => cluster;

/** Selects the pods, Services and volumes of one cluster. */
export const clusterLabels = (cluster: string): Readonly<Record<string, string>> => ({
  [labels.app]: 'etcd',
  [labels.cluster]: cluster,
});

/** The same as the text of a label selector. */
export const clusterSelector = (cluster: string): string =>
  Object.entries(clusterLabels(cluster))
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
