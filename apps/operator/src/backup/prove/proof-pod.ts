// SPDX-License-Identifier: Apache-2.0
import type { Container, Pod, Volume } from '@operator-parts/kube';
import type { EtcdClusterSpec } from '../../api/etcd-cluster.ts';
import { group, labels } from '../../api/names.ts';
import type { Desired } from '../../cluster/desired.ts';
import { containerSecurity } from '../../cluster/objects/security-context.ts';
import { secretNameOf } from '../../restore/objects/restore-secret.ts';
import { type AgentSource, seedPod } from '../../restore/objects/seed-pod.ts';
import { apartFrom, sized, temporaryLimits } from '../../restore/objects/temporary-pod.ts';

/** The EtcdBackup whose stored backup is proven (restored as a test). */
export interface ProofOwner {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

export interface ProofPodOptions {
  readonly backup: ProofOwner;
  /** Version and image of the etcd to restore with. */
  readonly desired: Desired;
  /** Where the pod may run, and how its images are pulled. */
  readonly spec: EtcdClusterSpec;
  /** The cluster whose nodes the pod avoids; undefined if unknown. */
  readonly cluster: string | undefined;
  readonly agent: AgentSource;
  /** Length of the snapshot. */
  readonly bytes: number;
  /** The Secret with the login of the restored etcd; undefined if there is none. */
  readonly loginSecret: string | undefined;
}

export const proveContainer = 'prove';

const loginPath = '/etc/etcd-login';
const snapshotPath = '/var/restore';

/** The pod ends after this time even if the operator is gone, in seconds. */
const deadlineSeconds = 2 * 3600;

/**
 * The pod name is also the pod's host name, which must be short and without dots. Names of EtcdBackups may be longer and may contain dots.
 */
export function proofPodName({ name, uid }: ProofOwner): string {
  return `${name.replaceAll('.', '-').slice(0, 40)}-prove-${uid.slice(0, 8)}`;
}

/**
 * The pod of the temporary member that a backup is restored to as a test. It has the containers that the pod of the first member has in a
 * restore, plus a container that reports what etcd serves. etcd listens only on loopback, so that no other pod can read the backup. No
 * Service selects the pod, its labels are not those of any member, and the EtcdBackup owns it. Its containers are not restarted, so that a
 * failure stays visible.
 */
export function proofPod(options: ProofPodOptions): Pod {
  const { backup, desired, spec, agent } = options;
  const name = proofPodName(backup);
  const identity = { name, namespace: backup.namespace, uid: backup.uid };
  const tlsKeys = { peer: 'own', server: 'own', client: 'own' } as const;
  const source = { restoreUid: backup.uid, secretName: secretNameOf(backup), agent, revisionBump: 0 };
  const seed = seedPod({ cluster: identity, desired, spec, name, incarnation: 1, tlsKeys }, source);
  const { hostAliases, initContainers = [], containers = [], volumes = [] } = seed.spec ?? {};
  const resources = temporaryLimits(options.bytes);
  const finish = (container: Container & { readonly name: string }) => ({ ...container, resources });
  return {
    ...seed,
    metadata: {
      name,
      namespace: backup.namespace,
      // Network policies select pods by this label. Services select by `app` as well, so they do not select this pod.
      labels: { [labels.cluster]: name, [labels.proof]: backup.uid },
      annotations: seed.metadata?.annotations ?? {},
      ownerReferences: [
        { apiVersion: `${group}/v1beta2`, kind: 'EtcdBackup', name: backup.name, uid: backup.uid, controller: true },
      ],
    },
    spec: {
      ...seed.spec,
      hostname: name,
      ...(hostAliases && { hostAliases }),
      restartPolicy: 'Never',
      activeDeadlineSeconds: deadlineSeconds,
      terminationGracePeriodSeconds: 5,
      // On other nodes than the members, the pod does not slow down the members' disks.
      ...(options.cluster !== undefined && { affinity: apartFrom(options.cluster) }),
      initContainers: initContainers.map(finish),
      containers: [...containers.map(onLoopback).map(finish), finish(prover(options))],
      volumes: [...volumes.map((volume) => sized(volume, options.bytes)), ...loginVolume(options.loginSecret)],
    },
  };
}

function loginVolume(secretName: string | undefined): readonly Volume[] {
  return secretName === undefined ? [] : [{ name: 'login', secret: { secretName } }];
}

function onLoopback(container: Container & { readonly name: string }): Container & { readonly name: string } {
  const {
    startupProbe: _startup,
    readinessProbe: _readiness,
    livenessProbe: _liveness,
    ports: _ports,
    ...rest
  } = container;
  return {
    ...rest,
    command: (container.command ?? []).map((word) =>
      word.startsWith('--listen-') ? word.replace('0.0.0.0', '127.0.0.1') : word,
    ),
    env: (container.env ?? []).map((variable) =>
      variable.name === 'ETCD_LISTEN_METRICS_URLS'
        ? { ...variable, value: (variable.value ?? '').replace('0.0.0.0', '127.0.0.1') }
        : variable,
    ),
  };
}

function prover({ agent, loginSecret }: ProofPodOptions): Container & { readonly name: string } {
  const hasLogin = loginSecret !== undefined;
  return {
    name: proveContainer,
    image: agent.image,
    command: [
      '/usr/local/bin/etcd-restore-agent',
      `-prove=${snapshotPath}/snapshot.db`,
      ...(hasLogin ? [`-login-dir=${loginPath}`] : []),
    ],
    volumeMounts: [
      { name: 'restore-snapshot', mountPath: snapshotPath, readOnly: true },
      ...(hasLogin ? [{ name: 'login', mountPath: loginPath, readOnly: true }] : []),
    ],
    terminationMessagePolicy: 'FallbackToLogsOnError',
    securityContext: containerSecurity({}, false),
  };
}
