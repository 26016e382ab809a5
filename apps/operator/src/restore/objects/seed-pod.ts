// SPDX-License-Identifier: Apache-2.0
import { initialCluster, memberAddress, parseVersion, restoreTool } from '@operator-parts/etcd';
import type { Container, LocalObjectReference, Pod, PodSpec, Volume } from '@operator-parts/kube';
import { annotations, labels } from '../../api/names.ts';
import { type MemberPodOptions, memberPod } from '../../cluster/objects/member-pod.ts';
import { containerSecurity } from '../../cluster/objects/security-context.ts';
import { clusterToken } from '../../identity/member-naming.ts';
import { deliveryPort, keyName } from '../delivery/channel.ts';

/** The image of the agent, and how to pull it. */
export interface AgentSource {
  /** The operator's own image. */
  readonly image: string;
  /** The operator's own namespace, and the pull Secrets of its pod. */
  readonly namespace: string;
  readonly pullSecrets: readonly LocalObjectReference[];
}

/** The properties of the restored data, and the agent that receives it. */
export interface SeedSource {
  readonly restoreUid: string;
  readonly secretName: string;
  readonly agent: AgentSource;
  /** What the restore tool adds to the revision of the newest entry. */
  readonly revisionBump: number;
}

const paths = {
  data: '/var/etcd/data',
  volume: '/var/etcd',
  snapshot: '/var/restore',
  key: '/etc/etcd-restore',
} as const;

export const fetchContainer = 'fetch-backup';
export const restoreContainer = 'restore-datadir';

/** The last argument of the restore tool. With `on` the tool restores the data, with `done` it only prints its help. */
export const restoreSwitch = { on: '--write-out=simple', done: '--help' } as const;

/**
 * The pod of the first member of a restored cluster. Two init containers, named as in the CoreOS etcd-operator, create its data: the
 * first receives the snapshot from the operator; the second is etcd's own restore tool, started without a shell. Neither changes a
 * data directory that is not empty. The pod has no bootstrap configuration, and is not an endpoint of any Service until its data was
 * verified.
 */
export function seedPod(options: Omit<MemberPodOptions, 'boot'>, source: SeedSource): Pod {
  const member = memberPod({ ...options, boot: { state: 'cleared' } });
  const { [labels.app]: _isolated, ...kept } = member.metadata?.labels ?? {};
  const pod = options.spec.pod ?? {};
  const finish = (container: Container & { readonly name: string }) => ({
    ...container,
    terminationMessagePolicy: 'FallbackToLogsOnError' as const,
    ...(pod.resources && { resources: pod.resources }),
    securityContext: containerSecurity(pod, false),
  });
  return {
    ...member,
    metadata: {
      ...member.metadata,
      labels: kept,
      annotations: { ...member.metadata?.annotations, [annotations.restoreSwitch]: restoreSwitch.on },
    },
    spec: {
      ...member.spec,
      containers: member.spec?.containers ?? [],
      initContainers: [
        finish(fetchSnapshot(source)),
        finish(restoreData(options, source)),
        ...(member.spec?.initContainers ?? []),
      ],
      volumes: [...(member.spec?.volumes ?? []), ...volumes(source)],
      ...pullSecrets(member, source.agent),
    },
  };
}

/** Pull Secrets for the agent's image, in addition to those for etcd's image. Secrets of another namespace cannot be used. */
export function pullSecrets({ metadata, spec }: Pod, agent: AgentSource): Pick<PodSpec, 'imagePullSecrets'> {
  const own = metadata?.namespace === agent.namespace ? agent.pullSecrets : [];
  const all = [...(spec?.imagePullSecrets ?? []), ...own];
  return all.length > 0 ? { imagePullSecrets: all } : {};
}

/** The Secret is optional: it no longer exists when the pod starts again after a reboot, and is not needed then. */
function volumes({ secretName }: SeedSource): readonly Volume[] {
  return [
    { name: 'restore-snapshot', emptyDir: {} },
    { name: 'restore-key', secret: { secretName, optional: true } },
  ];
}

function fetchSnapshot({ agent, restoreUid }: SeedSource): Container & { readonly name: string } {
  return {
    name: fetchContainer,
    image: agent.image,
    command: [
      '/usr/local/bin/etcd-restore-agent',
      `-restore=${restoreUid}`,
      `-key-file=${paths.key}/${keyName}`,
      `-file=${paths.snapshot}/snapshot.db`,
      `-data-dir=${paths.data}`,
      `-port=${deliveryPort}`,
    ],
    ports: [{ name: 'restore', containerPort: deliveryPort, protocol: 'TCP' }],
    volumeMounts: [
      { name: 'etcd-data', mountPath: paths.volume },
      { name: 'restore-snapshot', mountPath: paths.snapshot },
      { name: 'restore-key', mountPath: paths.key, readOnly: true },
    ],
  };
}

function restoreData(
  { cluster, desired, name, incarnation }: Omit<MemberPodOptions, 'boot'>,
  { revisionBump }: SeedSource,
): Container & { readonly name: string } {
  const { clusterDomain, peerTLS, clientTLS } = desired;
  const place = { member: name, cluster: cluster.name, namespace: cluster.namespace, clusterDomain };
  const { peerUrl } = memberAddress(place, { peer: peerTLS, client: clientTLS });
  const version = parseVersion(desired.version);
  const tool = version && restoreTool(version);
  const bump = tool?.bumpsRevision && revisionBump > 0 ? [`--bump-revision=${revisionBump}`, '--mark-compacted'] : [];
  const fieldPath = `metadata.annotations['${annotations.restoreSwitch}']`;
  return {
    name: restoreContainer,
    image: desired.image,
    command: [
      `/usr/local/bin/${tool?.program ?? 'etcdutl'}`,
      'snapshot',
      'restore',
      `${paths.snapshot}/snapshot.db`,
      `--name=${name}`,
      `--initial-cluster=${initialCluster([{ name, peerUrl }])}`,
      `--initial-cluster-token=${clusterToken(cluster.uid, incarnation)}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--data-dir=${paths.data}`,
      ...bump,
      // The tool need not check the hash: every byte was hashed and compared when it was written to this disk, moments ago.
      '--skip-hash-check',
      '$(RESTORE_SWITCH)',
    ],
    env: [
      ...Object.entries(tool?.env ?? {}).map(([key, value]) => ({ name: key, value })),
      { name: 'RESTORE_SWITCH', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } } },
    ],
    volumeMounts: [
      { name: 'etcd-data', mountPath: paths.volume },
      { name: 'restore-snapshot', mountPath: paths.snapshot, readOnly: true },
    ],
  };
}
