// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { Pod } from '@operator-parts/kube';
import type { Condition } from '../../api/condition-schema.ts';
import type { EtcdClusterSpec, PodPolicy } from '../../api/etcd-cluster.ts';
import { annotations } from '../../api/names.ts';
import { conditionTypes } from '../../api/reasons.ts';
import { defaultRepository } from '../desired.ts';
import { defaultBusyboxImage } from '../objects/dns/check-dns.ts';
import { differingFields, templateDigest } from '../objects/template.ts';
import { fullRepository, isFrom } from './image-repository.ts';
import { podWeaknesses } from './pod-weaknesses.ts';

/** Which pods the administrator allows for EtcdClusters. */
export interface PodGrants {
  /** Namespaces whose pods may weaken the restricted Pod Security Standard. */
  readonly privileged: readonly string[] | 'all';
  /** Repositories from which images may come; empty allows all. */
  readonly repositories: readonly string[];
  /**
   * Namespaces in which users may add containers and volumes to the pods of members. With these, users can read the Secrets of the
   * namespace.
   */
  readonly sidecars: readonly string[] | 'all';
  /** Service accounts that members may use, as `namespace/name`. */
  readonly serviceAccounts: readonly string[] | 'all';
}

/** The grants if the administrator has configured none. */
export const noGrants: PodGrants = { privileged: [], repositories: [], sidecars: [], serviceAccounts: [] };

/** What a spec asks for although the administrator does not allow it, in sentences. */
export interface Judgement {
  /** If this is not empty, no pod of this spec is created. */
  readonly refused: readonly string[];
  /** Settings that are not allowed, but that existing pods of the cluster already have; these pods are kept and repaired. */
  readonly tolerated: readonly string[];
}

/** Evidence that pods of a spec were allowed before. */
export interface Evidence {
  /** The pods that the cluster owns. */
  readonly pods?: readonly Pod[];
  /**
   * Conditions of the status, which only operators write. They record which settings were tolerated, so that these settings are still known
   * when the last pod is gone.
   */
  readonly conditions?: readonly Pick<Condition, 'type' | 'message'>[];
}

/**
 * Judges the pods of a spec. The operator creates pods with its own permissions: without this check, every user who may create an
 * EtcdCluster could use these permissions. Settings that pods of the cluster already have were allowed before, so they are tolerated. If
 * they were refused, an upgrade of the operator would leave a running cluster without repair.
 */
export function judgePods(
  namespace: string,
  spec: EtcdClusterSpec,
  grants: PodGrants,
  { pods = [], conditions = [] }: Evidence = {},
): Judgement {
  const others = [...ungrantedImages(spec, grants), ...ungranted(namespace, spec.pod ?? {}, grants)];
  const { privileged } = grants;
  const found = privileged === 'all' || privileged.includes(namespace) ? [] : podWeaknesses(spec.pod ?? {});
  if (found.length === 0) return { refused: others, tolerated: [] };
  const sentence =
    `${found.slice(0, 5).join(', ')}: this weakens the restricted Pod Security Standard, which is not allowed in namespace ` +
    `${namespace}. Remove it, or start the operator with -allow-privileged-pods=${namespace}.`;
  const note = `Members already run with what is not allowed (pod template ${fingerprint(spec)}): they are kept and repaired. ${sentence}`;
  const isNoted = conditions.some(
    ({ type, message }) =>
      type === conditionTypes.specRefused && message !== undefined && message !== '' && note.startsWith(message),
  );
  return isNoted || pods.some((pod) => isOfSpec(pod, spec, found))
    ? { refused: others, tolerated: [note] }
    : { refused: [sentence, ...others], tolerated: [] };
}

/** Identifies a spec by everything that changes its pods. */
function fingerprint(spec: EtcdClusterSpec): string {
  const { image = '', repository = '', pod } = spec;
  const parts = [templateDigest(spec), repository, pod?.busyboxImage ?? '', ...(image ? [image] : [])];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 12);
}

/** True if the pod was made from this spec and has all these weaknesses. A pod of the CoreOS etcd-operator does not record its spec. */
function isOfSpec({ metadata, spec: made }: Pod, spec: EtcdClusterSpec, weaknesses: readonly string[]): boolean {
  const etcd = made?.containers.find(({ name }) => name === 'etcd');
  const template = metadata?.annotations?.[annotations.template];
  if (template !== undefined && differingFields(template, spec).length > 0) return false;
  if (fullRepository(etcd?.image ?? '') !== fullRepository(imageOf(spec))) return false;
  // Only immutable fields of a pod count, because any user can change annotations.
  const present = podWeaknesses({
    ...(made?.securityContext && { securityContext: made.securityContext }),
    ...(etcd?.securityContext && { containerSecurityContext: etcd.securityContext }),
  });
  return weaknesses.every((weakness) => present.includes(weakness));
}

function imagesOf(field: string, containers: PodPolicy['sidecars'] = []): readonly (readonly [string, string])[] {
  return containers.map(({ image = '' }, index) => [`${field}[${index}].image`, image] as const);
}

/** What a spec may add to its pods only with a grant: code besides etcd, and the identity of a service account. */
function ungranted(namespace: string, pod: PodPolicy, { sidecars, serviceAccounts }: PodGrants): readonly string[] {
  const fields = (['sidecars', 'initContainers', 'volumes', 'volumeMounts'] as const).filter(
    (field) => (pod[field]?.length ?? 0) > 0,
  );
  const account = pod.serviceAccountName || (hasToken(pod) ? 'default' : undefined);
  const isGranted = sidecars === 'all' || sidecars.includes(namespace);
  const isAccountGranted = serviceAccounts === 'all' || serviceAccounts.includes(`${namespace}/${account}`);
  return [
    ...(fields.length === 0 || isGranted
      ? []
      : [
          `${fields.map((field) => `spec.pod.${field}`).join(', ')}: this is not allowed in namespace ${namespace}. Remove it, or start ` +
            `the operator with -allow-sidecars=${namespace}.`,
        ]),
    ...(account === undefined || isAccountGranted
      ? []
      : [
          `The pods would have the service account ${account}, which is not allowed in namespace ${namespace}. Remove ` +
            `${pod.serviceAccountName ? 'spec.pod.serviceAccountName' : 'serviceAccountToken from spec.pod.volumes'}, or start the ` +
            `operator with -allow-service-accounts=${namespace}/${account}.`,
        ]),
  ];
}

function hasToken({ volumes = [] }: PodPolicy): boolean {
  return volumes.some(({ projected }) =>
    projected?.sources?.some((source) => source.serviceAccountToken !== undefined),
  );
}

/** The etcd image; without a tag if the spec names only the repository. */
function imageOf({ image, repository }: EtcdClusterSpec): string {
  return image || repository || defaultRepository;
}

function ungrantedImages(spec: EtcdClusterSpec, { repositories }: PodGrants): readonly string[] {
  if (repositories.length === 0) return [];
  const { pod } = spec;
  const images = [
    [spec.image ? 'spec.image' : 'spec.repository', imageOf(spec)],
    ...(pod?.checkDNS === false ? [] : [['spec.pod.busyboxImage', pod?.busyboxImage || defaultBusyboxImage]]),
    ...imagesOf('spec.pod.sidecars', pod?.sidecars),
    ...imagesOf('spec.pod.initContainers', pod?.initContainers),
  ] as const;
  return images
    .filter(([, image = '']) => !isFrom(image, repositories))
    .map(
      ([field, image = '']) =>
        `${field} is ${image.slice(0, 256)}, which is not in a repository that the operator allows (flag -allow-repositories). ` +
        'Set it to an image from an allowed repository.',
    );
}
