// SPDX-License-Identifier: Apache-2.0
import { initialCluster, isEnvOfEtcd, type MemberAddress, memberAddress } from '@operator-parts/etcd';
import type { Affinity, Container, Pod, PodSpec, Volume } from '@operator-parts/kube';
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

/** The boot configuration of a new pod, which etcd uses if its directory is empty. */
export type BootValues =
  | { readonly state: 'new' }
  /** The list that etcd returned when the member was added. A member that has not started is listed under the name of its pod. */
  | { readonly state: 'existing'; readonly members: readonly { readonly name: string; readonly peerUrl: string }[] }
  | { readonly state: 'cleared' };

export interface MemberPodOptions {
  readonly cluster: ClusterIdentity;
  readonly desired: Desired;
  readonly spec: EtcdClusterSpec;
  readonly name: string;
  readonly incarnation: number;
  readonly boot: BootValues;
  /** Recorded on pods of members that etcd already knows. */
  readonly identity?: { readonly clusterId: string; readonly memberId: string };
  /** True for a voter: the disruption budget counts its pod. */
  readonly isVoter?: boolean;
  readonly snapshotCount?: string;
  /** The release to roll back to if the version does not work; undefined once the version is confirmed. */
  readonly rollbackTo?: { readonly version: string; readonly image: string } | undefined;
  readonly tlsKeys: TlsKeyStyles;
  /** True for volumes of CoreOS etcd-operator: their files belong to root, so no other user is set. */
  readonly ownsFilesAsRoot?: boolean;
  /** True if the PersistentVolumeClaim of the pod was just created for the pod. */
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

/** The user's labels; the operator's own take precedence. */
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

/** etcd ignores these values if it has data, and refuses to start with them if it has none. */
export const clearedBoot: Readonly<Record<string, string>> = {
  [annotations.initialCluster]: clearedInitialCluster,
  [annotations.initialClusterState]: 'existing',
  [annotations.initialClusterToken]: 'cleared',
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
  // Admission refuses other variables, but an object that was stored before may have them.
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
    // etcd resolves its own name at its start. DNS has this name only a moment later, and etcd would wait for a second.
    hostAliases: [{ ip: '127.0.0.1', hostnames: [address.host] }, ...(pod.hostAliases ?? [])],
    ...(pod.serviceAccountName && { serviceAccountName: pod.serviceAccountName }),
    ...(initContainers.length > 0 && { initContainers }),
    containers: [finish(etcd), ...extras.sidecars],
    volumes: [dataVolume(desired, name), ...tlsVolumes(spec, options.tlsKeys), ...extras.volumes],
    ...scheduling(options),
  };
}

/**
 * True only for a joining member. The first member has no peers. A member that restarts with its data must not wait, because a DNS cache
 * may have lost the names of the members.
 */
function asksDns({ spec, boot }: MemberPodOptions): boolean {
  return spec.pod?.checkDNS !== false && boot.state === 'existing';
}

/**
 * The names of existing members resolve already. If the member asked for its own name too early, a DNS cache would remember that this name
 * does not exist. With peer TLS the member waits only for its own name, because the other members look up the name of a member that
 * connects to them.
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

/** What `antiAffinity: true` means, as in CoreOS etcd-operator. */
function apartByHost(cluster: string): Affinity {
  return {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: { [labels.cluster]: cluster } }, topologyKey: 'kubernetes.io/hostname' },
      ],
    },
  };
}
