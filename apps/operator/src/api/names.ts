// SPDX-License-Identifier: Apache-2.0
/** Every label, annotation and fixed name that the operator writes or reads. */

/** The API group of the three kinds, and the prefix of our own labels and annotations. */
export const group = 'etcd.database.coreos.com';

/** Labels of CoreOS etcd-operator. Services select by them; users must not set them. */
export const labels = {
  app: 'app',
  cluster: 'etcd_cluster',
  node: 'etcd_node',
  /** The incarnation of the cluster that an object belongs to. */
  incarnation: `${group}/incarnation`,
  /** Only on pods of promoted voters; the PodDisruptionBudget selects it. */
  voter: `${group}/voter`,
  /** On temporary pods that test an image: name of the cluster. Never together with `app`. */
  imageCheck: `${group}/image-check`,
  /** On temporary pods that test a stored backup by restoring it: UID of the EtcdBackup. Never together with `app`. */
  proof: `${group}/proof`,
  /** On volumes of a previous incarnation: UID of the EtcdRestore that replaced that incarnation and kept the volumes. */
  keptByRestore: `${group}/kept-by-restore`,
  /** Set by users on Secrets that backups and restores may use; see `secretUse`. */
  use: `${group}/use`,
} as const;

/** The value of the label `use` on Secrets with credentials of stores, certificates and logins for backups and restores. */
export const secretUse = 'backup';

export const annotations = {
  /** The etcd version that a pod runs, or that last served from a volume, without `v`. The name is from CoreOS. */
  version: 'etcd.version',
  /** The version and image before the image was changed in place. Removed once the new image is confirmed. */
  previousVersion: `${group}/previous-version`,
  previousImage: `${group}/previous-image`,
  /** ID of the container before the image was changed: only a container with another ID runs the new image. */
  previousContainer: `${group}/previous-container`,
  /** The bootstrap configuration of etcd. The container reads these annotations through the downward API at every start. */
  initialCluster: `${group}/initial-cluster`,
  initialClusterState: `${group}/initial-cluster-state`,
  initialClusterToken: `${group}/initial-cluster-token`,
  snapshotCount: `${group}/snapshot-count`,
  /** Identity of cluster and member, on the EtcdCluster, its pods and its volumes. */
  clusterId: `${group}/cluster-id`,
  memberId: `${group}/member-id`,
  incarnation: `${group}/incarnation`,
  /** The version that the cluster was bootstrapped with, on the EtcdCluster. */
  bootstrapVersion: `${group}/bootstrap-version`,
  /** On volumes: which listeners of the member use TLS, as `peer`, `client`, `peer,client` or empty. */
  tls: `${group}/tls`,
  /** `true` on a pod whose PersistentVolumeClaim was created together with the pod. */
  freshVolume: `${group}/fresh-volume`,
  /** On the EtcdCluster while an EtcdRestore creates its next incarnation; see `restore-marker.ts`. */
  restore: `${group}/restore`,
  /** On the EtcdCluster: the highest incarnation that was ever started, even if its restore failed. */
  usedIncarnation: `${group}/used-incarnation`,
  /** On the EtcdCluster: UID of the EtcdRestore that created the present incarnation. */
  restoredBy: `${group}/restored-by`,
  /** On the pod of an old member that was started for a safety snapshot: UID of the EtcdRestore that started it. */
  startedByRestore: `${group}/started-by-restore`,
  /**
   * On a pod that holds the snapshot of a remaining member (survivor): name and UID of the pod of that member, and the raft index of the
   * snapshot.
   */
  heldSnapshot: `${group}/held-snapshot`,
  /**
   * On the seed member of a restore: the last argument of the restore tool. Once the data is restored, it is `--help`, so that the tool
   * does nothing when the pod restarts.
   */
  restoreSwitch: `${group}/restore-switch`,
  /** A digest of the fields of the spec that only a new pod can follow. */
  template: `${group}/template`,
  /**
   * On pods and the client Service: the labels and annotations that came from the spec. They are removed when the spec no longer has them.
   */
  fromSpec: `${group}/from-spec`,
  /** A digest of the `resources` (CPU and memory) that the API server refused to set on a running pod. */
  resizeRefused: `${group}/resize-refused`,
  /**
   * `clusterwide`: an operator of all namespaces manages the object. `namespaced`: the operator in the namespace of the object manages the
   * object.
   */
  scope: `${group}/scope`,
  /** The namespace of the cluster-wide operator that manages the object. */
  managedBy: `${group}/managed-by`,
} as const;

/** True for labels and annotations that only the operator writes. */
export const isOperatorKey = (key: string): boolean => key.startsWith(`${group}/`) || key === annotations.version;

/**
 * The flag `--initial-cluster` of etcd in a pod whose bootstrap configuration is cleared. etcd ignores this value if its data directory has
 * data, and refuses to start if the directory is empty.
 */
export const clearedInitialCluster = 'cleared=http://127.0.0.1:1';

/** The field manager of everything that the operator applies. */
export const fieldManager = 'etcd-operator';

export const clientServiceName = (cluster: string): string => `${cluster}-client`;
export const peerServiceName = (cluster: string): string => cluster;

/** Selects the pods, Services and volumes of one cluster. */
export const clusterLabels = (cluster: string): Readonly<Record<string, string>> => ({
  [labels.app]: 'etcd',
  [labels.cluster]: cluster,
});

/** The same labels as the text of a label selector. */
export const clusterSelector = (cluster: string): string =>
  Object.entries(clusterLabels(cluster))
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
