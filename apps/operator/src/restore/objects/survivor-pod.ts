// SPDX-License-Identifier: Apache-2.0
import { peerPort } from '@operator-parts/etcd';
import type { Container, Pod } from '@operator-parts/kube';
import { labels } from '../../api/names.ts';
import type { MemberPodOptions } from '../../cluster/objects/member-pod.ts';
import { containerSecurity } from '../../cluster/objects/security-context.ts';
import { type AgentSource, pullSecrets } from './seed-pod.ts';
import { snapshotPod } from './snapshot-pod.ts';

export const readContainer = 'read-survivor';

const paths = { original: '/var/survivor', copy: '/var/etcd' } as const;
const copyVolume = 'survivor-copy';

/**
 * The pod that reads the volume of a member of a cluster without a quorum. The volume is mounted read-only. The init container copies the
 * data, and appends entries to the copied log that remove all other members. The pod's etcd then serves the copy to the operator, on a port
 * that no Service has. If the log ends at the index `held`, nothing is copied, and etcd has no data to start with. The peer port cannot be
 * reached from other pods: etcd would tell other members that they were removed. The member runs alone because of its log and not because
 * of a flag, so a restart changes nothing.
 */
export function survivorPod(
  options: Omit<MemberPodOptions, 'boot'>,
  restoreUid: string,
  agent: AgentSource,
  held?: number,
): Pod {
  const pod = snapshotPod(options, restoreUid);
  const { [labels.app]: _isolated, ...kept } = pod.metadata?.labels ?? {};
  const { spec } = options;
  return {
    ...pod,
    metadata: { ...pod.metadata, labels: kept },
    spec: {
      ...pod.spec,
      initContainers: [
        {
          name: readContainer,
          image: agent.image,
          command: [
            '/usr/local/bin/etcd-restore-agent',
            `-survivor=${paths.original}/data`,
            `-data-dir=${paths.copy}/data`,
            ...(held === undefined ? [] : [`-held=${held}`]),
          ],
          volumeMounts: [
            { name: 'etcd-data', mountPath: paths.original, readOnly: true },
            { name: copyVolume, mountPath: paths.copy },
          ],
          terminationMessagePolicy: 'FallbackToLogsOnError',
          ...(spec.pod?.resources && { resources: spec.pod.resources }),
          securityContext: containerSecurity(spec.pod ?? {}, options.ownsFilesAsRoot ?? false),
        },
      ],
      containers: (pod.spec?.containers ?? []).map(onCopy),
      volumes: [...(pod.spec?.volumes ?? []), { name: copyVolume, emptyDir: {} }],
      ...pullSecrets(pod, agent),
    },
  };
}

/** The member is alone: no other member can be leader, so waiting a second or two for a leader is useless. */
const hurried = { ETCD_HEARTBEAT_INTERVAL: '10', ETCD_ELECTION_TIMEOUT: '100' } as const;
const hurriedEnv = Object.entries(hurried).map(([name, value]) => ({ name, value }));

function onCopy(container: Container & { readonly name: string }): Container & { readonly name: string } {
  return {
    ...alone(container),
    volumeMounts: (container.volumeMounts ?? []).map((mount) =>
      mount.name === 'etcd-data' ? { ...mount, name: copyVolume } : mount,
    ),
  };
}

/** An etcd that is the only member of its cluster: no peer reaches it, and it elects itself soon. */
export function alone(container: Container & { readonly name: string }): Container & { readonly name: string } {
  return {
    ...container,
    command: (container.command ?? []).map((word) =>
      word.startsWith('--listen-peer-urls=') ? word.replace(`0.0.0.0:${peerPort}`, `127.0.0.1:${peerPort}`) : word,
    ),
    env: [...(container.env ?? []).filter(({ name }) => !(name in hurried)), ...hurriedEnv],
  };
}
