// SPDX-License-Identifier: Apache-2.0
import { initialCluster, isEnvOfEtcd, type MemberAddress, memberAddress } from '@etcd-operator/etcd';
import type { Affinity, Container, Pod, PodSpec, Volume } from '@etcd-operator/kube';
import type { EtcdClusterSpec } from '../../api/etcd-cluster.ts';
import { annotations, clearedInitialCluster, clusterLabels, labels, peerServiceName } from '../../api/names.ts';
import { clusterToken } from '../../identity/member-naming.ts';
import type { Desired } from '../desired.ts';
import { checkDns } from './dns/check-dns.ts';
import { etcdContainer } from './etcd-container.ts';
import { memberExtras } from './member-extras.ts';
import { type ClusterIdentity, ownerOf } from './owner.ts';
import { containerSecurity, podSecurity } from './security-context.ts';
import { templateDigest } from './template.ts';
import { terminationGrace } from './termination-grace.ts';
import { type TlsKeyStyles, tlsVolumes } from './tls-volumes.ts';
import { originNote, userMetadata } from './user-metadata.ts';

/** What the etcd of a new pod finds when its directory is empty. */
export type BootValues =
  | { readonly state: 'new' }
  /** The list that etcd returned when the member was added; names of unstarted members are their pods'. */
  | { readonly state: 'existing'; readonly members: readonly { readonly name: string; readonly peerUrl: string }[] }
  | { readonly state: 'cleared' };

export interface MemberPodOptions {
  readonly cluster: ClusterIdentity;
  readonly desired: Desired;
  readonly spec: EtcdClusterSpec;
  readonly name: string;
  readonly incarnation: number;
  readonly boot: BootValues;
  /** Recorded on pods of members that are known to etcd already. */
  readonly identity?: { readonly clusterId: string; readonly memberId: string };
  /** True for a member that votes: the disruption budget counts it. */
  readonly isVoter?: boolean;
  readonly snapshotCount?: string;
  /** What to go back to if its version does not work; undefined if that is proven. */
  readonly rollbackTo?: { readonly version: string; readonly image: string } | undefined;
  readonly tlsKeys: TlsKeyStyles;
  /** Volumes of CoreOS etcd-operator hold files of root: no other user is forced on them. */
  readonly ownsFilesAsRoot?: boolean;
  /** True if its volume claim was made a moment ago, for it. */
  readonly freshVolume?: boolean;
}

/** The pod of one member. Pure: the same input gives the same pod. */
export function memberPod(options: MemberPodOptions): Pod {
  const { cluster, name } = options;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: cluster.namespace,
      labels: podLabels(options),
      annotations: podAnnotations(options),
      ownerReferences: [ownerOf(cluster)],
    },
    spec: podSpec(options, addressOf(options)),
  };
}

function addressOf({ cluster, desired, name }: MemberPodOptions): MemberAddress {
  const { clusterDomain, peerTLS, clientTLS } = desired;
  const place = { member: name, cluster: cluster.name, namespace: cluster.namespace, clusterDomain };
  return memberAddress(place, { peer: peerTLS, client: clientTLS });
}

/** The user's labels, with the operator's own on top. */
function podLabels({ cluster, spec, name, incarnation, isVoter }: MemberPodOptions): Readonly<Record<string, string>> {
  return {
    ...userMetadata(spec.pod?.labels),
    ...clusterLabels(cluster.name),
    [labels.node]: name,
    [labels.incarnation]: String(incarnation),
    ...(isVoter && { [labels.voter]: 'true' }),
  };
}

function podAnnotations(options: MemberPodOptions): Readonly<Record<string, string>> {
  const { spec, desired, boot, cluster, incarnation, identity, snapshotCount } = options;
  return {
    ...userMetadata(spec.pod?.annotations),
    ...originNote(spec.pod ?? {}),
    [annotations.version]: desired.version,
    [annotations.template]: templateDigest(spec),
    ...bootAnnotations(options, boot, clusterToken(cluster.uid, incarnation)),
    [annotations.snapshotCount]: snapshotCount ?? '',
    ...(options.freshVolume && { [annotations.freshVolume]: 'true' }),
    ...(options.rollbackTo && {
      [annotations.previousVersion]: options.rollbackTo.version,
      [annotations.previousImage]: options.rollbackTo.image,
    }),
    ...(identity && { [annotations.clusterId]: identity.clusterId, [annotations.memberId]: identity.memberId }),
  };
}

function bootAnnotations(options: MemberPodOptions, boot: BootValues, token: string) {
  const { name } = options;
  if (boot.state === 'cleared') return clearedBoot;
  const { peerUrl } = addressOf(options);
  const members = boot.state === 'new' ? [{ name, peerUrl }] : boot.members;
  return {
    [annotations.initialCluster]: initialCluster(members),
    [annotations.initialClusterState]: boot.state,
    [annotations.initialClusterToken]: token,
  };
}

/** Ignored by etcd where there is data; refused by it where there is none. */
export const clearedBoot: Readonly<Record<string, string>> = {
  [annotations.initialCluster]: clearedInitialCluster,
  [annotations.initialClusterState]: 'existing',
  [annotations.initialClusterToken]: 'disarmed',
};

function podSpec(options: MemberPodOptions, address: MemberAddress): PodSpec {
  const { cluster, desired, spec, name } = options;
  const pod = spec.pod ?? {};
  const finish = (container: Container & { readonly name: string }): Container & { readonly name: string } => ({
    ...container,
    ...(pod.resources && { resources: pod.resources }),
    securityContext: containerSecurity(pod, options.ownsFilesAsRoot ?? false),
  });
  const { image, version, peerTLS, clientTLS } = desired;
  // Admission refuses others; an object that was stored before may have them.
  const env = (pod.etcdEnv ?? []).filter((variable) => isEnvOfEtcd(variable.name));
  const extras = memberExtras(pod);
  const etcd = etcdContainer({ name, image, version, address, peerTLS, clientTLS, env, mounts: extras.mounts });
  const ownInit = asksDns(options) ? [finish(dnsCheck(options, address))] : [];
  const initContainers = [...ownInit, ...extras.initContainers];
  return {
    hostname: name,
    subdomain: peerServiceName(cluster.name),
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: terminationGrace(pod.etcdEnv ?? []),
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: podSecurity(pod, options.ownsFilesAsRoot ?? false),
    hostAliases: [{ ip: '127.0.0.1', hostnames: [address.host] }, ...(pod.hostAliases ?? [])],
    ...(pod.serviceAccountName && { serviceAccountName: pod.serviceAccountName }),
    ...(initContainers.length > 0 && { initContainers }),
    containers: [finish(etcd), ...extras.sidecars],
    volumes: [dataVolume(desired, name), ...tlsVolumes(spec, options.tlsKeys), ...extras.volumes],
    ...scheduling(options),
  };
}

/**
 * Only a joining etcd resolves the names of others: the first member has no peers, and a member that restarts on its data would wait for
 * names that a DNS cache forgot. It finds its own name in its hosts file: DNS has it a moment later, and etcd would wait for a second.
 */
function asksDns({ spec, boot }: MemberPodOptions): boolean {
  return spec.pod?.checkDNS !== false && boot.state === 'existing';
}

/**
 * Those whom it joins have names already; to ask for its own before there is one would let a DNS cache remember that there is
 * none. With peer TLS they look up who calls, so that its own has to be there.
 */
function dnsCheck({ desired, spec, boot }: MemberPodOptions, { host }: MemberAddress) {
  const members = boot.state === 'existing' && !desired.peerTLS ? boot.members : [];
  const others = members.map(({ peerUrl }) => new URL(peerUrl).hostname).filter((other) => other !== host);
  return checkDns({
    image: spec.pod?.busyboxImage,
    hosts: [...others, host],
    timeoutSeconds: spec.pod?.DNSTimeoutInSecond ?? 0,
    isAbsolute: desired.clusterDomain !== '',
  });
}

function dataVolume({ storage }: Desired, name: string): Volume {
  if (storage === 'claim') return { name: 'etcd-data', persistentVolumeClaim: { claimName: name } };
  return { name: 'etcd-data', emptyDir: storage === 'memory' ? { medium: 'Memory' } : {} };
}

function scheduling({ cluster, spec }: MemberPodOptions): Partial<PodSpec> {
  const pod = spec.pod ?? {};
  const affinity = pod.affinity ?? (pod.antiAffinity ? apartByHost(cluster.name) : undefined);
  return {
    ...(affinity && { affinity }),
    ...(pod.nodeSelector && Object.keys(pod.nodeSelector).length > 0 && { nodeSelector: pod.nodeSelector }),
    ...(pod.tolerations && pod.tolerations.length > 0 && { tolerations: pod.tolerations }),
    ...(pod.topologySpreadConstraints && { topologySpreadConstraints: pod.topologySpreadConstraints }),
    ...(pod.priorityClassName && { priorityClassName: pod.priorityClassName }),
    ...(pod.schedulerName && { schedulerName: pod.schedulerName }),
    ...(pod.runtimeClassName && { runtimeClassName: pod.runtimeClassName }),
    ...(pod.imagePullSecrets && { imagePullSecrets: pod.imagePullSecrets }),
  };
}

/** CoreOS's meaning of `antiAffinity: true`. */
function apartByHost(cluster: string): Affinity {
  return {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: { [labels.cluster]: cluster } }, topologyKey: 'kubernetes.io/hostname' },
      ],
    },
  };
}
