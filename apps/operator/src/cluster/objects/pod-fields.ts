// SPDX-License-Identifier: Apache-2.0
import type { PodPolicy } from '../../api/etcd-cluster.ts';

/**
 * What a changed field of `spec.pod` means for an existing pod. `live`: the field is changed in place. `replace`: the pod must be replaced.
 * `ignored`: the pod stays as it is; the next pod gets the new value, or the field does not concern the pod.
 *
 * Fields of `replace` are part of the digest in an annotation of every pod. If a field were moved from `ignored` to `replace`, the digest
 * would change although the spec has not, and an upgrade of the operator would restart members.
 */
export type PodFieldPlace = 'live' | 'replace' | 'ignored';

/** Every field of `spec.pod`. A new field does not compile until it is listed here. */
export const podFields = {
  affinity: 'replace',
  antiAffinity: 'replace',
  nodeSelector: 'replace',
  tolerations: 'replace',
  topologySpreadConstraints: 'replace',
  /** Changed by the pod's `resize` subresource where Kubernetes allows it. */
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
  /** The operator compares which kind of storage a pod mounts, and not this field. The size of an existing volume is not changed. */
  persistentVolumeClaimSpec: 'ignored',
  imagePullSecrets: 'ignored',
  /** Used only by a joining member, before its etcd starts. */
  busyboxImage: 'ignored',
  checkDNS: 'ignored',
  DNSTimeoutInSecond: 'ignored',
  /** A member keeps the address under which etcd lists it. */
  ClusterDomain: 'ignored',
  /** Settings of the operator itself. */
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
