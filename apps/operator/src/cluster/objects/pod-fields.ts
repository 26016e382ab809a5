// SPDX-License-Identifier: Apache-2.0
import type { PodPolicy } from '../../api/etcd-cluster.ts';

/**
 * What a changed field of `spec.pod` means for a pod that exists: `live` is applied to it in place, `replace` needs a new pod, and
 * `ignored` leaves it as it is: the next pod has the new value, or the field is not about the pod at all.
 *
 * A field of `replace` is part of the digest that every pod carries. Moving one there from `ignored` makes pods differ that have
 * run unchanged, and so restarts members when the operator is upgraded.
 */
export type PodFieldPlace = 'live' | 'replace' | 'ignored';

/** Every field of `spec.pod`. A new field that is not placed here does not compile. */
export const podFields = {
  affinity: 'replace',
  antiAffinity: 'replace',
  nodeSelector: 'replace',
  tolerations: 'replace',
  topologySpreadConstraints: 'replace',
  /** Through the pod's `resize` subresource where Kubernetes allows it. */
  resources: 'replace',
  etcdEnv: 'replace',
  securityContext: 'replace',
  containerSecurityContext: 'replace',
  priorityClassName: 'replace',
  schedulerName: 'replace',
  runtimeClassName: 'replace',
  hostAliases: 'replace',
  serviceAccountName: 'replace',
  sidecars: 'replace',
  initContainers: 'replace',
  volumes: 'replace',
  volumeMounts: 'replace',
  tmpfs: 'replace',
  labels: 'live',
  annotations: 'live',
  /** Whether a member has a volume is compared by what its pod mounts; the size of an existing one is not changed. */
  persistentVolumeClaimSpec: 'ignored',
  imagePullSecrets: 'ignored',
  /** What only a joining member uses, before its etcd starts. */
  busyboxImage: 'ignored',
  checkDNS: 'ignored',
  DNSTimeoutInSecond: 'ignored',
  /** A member keeps the address that etcd knows it by. */
  ClusterDomain: 'ignored',
  /** Settings of the operator. */
  updatePolicy: 'ignored',
  replaceAfter: 'ignored',
} as const satisfies Readonly<Record<keyof PodPolicy, PodFieldPlace>>;

type FieldsOf<P extends PodFieldPlace> = {
  [K in keyof typeof podFields]: (typeof podFields)[K] extends P ? K : never;
}[keyof typeof podFields];

export type LivePodField = FieldsOf<'live'>;
export type ReplacedPodField = FieldsOf<'replace'>;

export const replacedPodFields: readonly ReplacedPodField[] = Object.entries(podFields).flatMap(([field, place]) =>
  place === 'replace' ? [field as ReplacedPodField] : [],
);
