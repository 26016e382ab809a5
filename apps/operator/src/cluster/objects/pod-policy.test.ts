// SPDX-License-Identifier: Apache-2.0
import type { Container, Pod } from '@etcd-operator/kube';
import { describe, expect, test } from 'vitest';
import type { EtcdClusterSpec } from '../../api/etcd-cluster.ts';
import { desiredOf } from '../desired.ts';
import { memberPod } from './member-pod.ts';

const cluster = { name: 'example', namespace: 'default', uid: '0b7a3c3e-6c2f-4f52-9a3e-6b1f5d1c2a77' };

function podOf(spec: EtcdClusterSpec, ownsFilesAsRoot = false): Pod {
  const desired = desiredOf(cluster.name, spec);
  if ('problems' in desired) throw new Error(desired.problems.join('; '));
  return memberPod({
    cluster,
    desired,
    spec,
    name: 'example-bcdfghjklm',
    incarnation: 1,
    // The one that has every container a member can have.
    boot: { state: 'existing', members: [] },
    tlsKeys: { peer: 'own', server: 'own', client: 'own' },
    ownsFilesAsRoot,
  });
}

const containersOf = ({ spec }: Pod): readonly Container[] => [
  ...(spec?.initContainers ?? []),
  ...(spec?.containers ?? []),
];
const etcdOf = (pod: Pod) => pod.spec?.containers.find(({ name }) => name === 'etcd');

describe('[7] antiAffinity', () => {
  const apart = {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: { etcd_cluster: 'example' } }, topologyKey: 'kubernetes.io/hostname' },
      ],
    },
  };

  test('keeps the pods of a cluster on nodes of their own', () => {
    expect(podOf({ size: 3, pod: { antiAffinity: true } }).spec?.affinity).toEqual(apart);
  });

  test('counts only if affinity says nothing', () => {
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } };
    expect(podOf({ size: 3, pod: { antiAffinity: true, affinity } }).spec?.affinity).toEqual(affinity);
  });

  test('is off by default', () => {
    expect(podOf({ size: 3, pod: { antiAffinity: false } }).spec?.affinity).toBeUndefined();
    expect(podOf({ size: 3 }).spec?.affinity).toBeUndefined();
  });
});

describe('rule 27: the user of members', () => {
  const userOf = ({ spec }: Pod) => ({ user: spec?.securityContext?.runAsUser, group: spec?.securityContext?.fsGroup });

  test('is nobody in particular for members that are newly made', () => {
    const pod = podOf({ size: 3 });
    expect(userOf(pod)).toEqual({ user: 1000, group: 1000 });
    expect(etcdOf(pod)?.securityContext?.capabilities?.drop).toEqual(['ALL']);
  });

  test("stays root on a volume of the original, whose files are root's: they are not given to another group", () => {
    const pod = podOf({ size: 3 }, true);
    expect(userOf(pod)).toEqual({ user: undefined, group: undefined });
    expect(etcdOf(pod)?.securityContext).toEqual({ allowPrivilegeEscalation: false });
  });
});

describe('[36] what a policy gives to which container', () => {
  const resources = { requests: { cpu: '200m' }, limits: { memory: '1Gi' } } as const;
  const etcdEnv = [{ name: 'ETCD_AUTO_COMPACTION_RETENTION', value: '1' }];
  const pod = podOf({ size: 3, pod: { resources, etcdEnv, labels: { team: 'a' }, annotations: { note: 'b' } } });

  test('resources to all of them', () => {
    expect(containersOf(pod).map((container) => container.resources)).toEqual([resources, resources]);
  });

  test('options of etcd to etcd alone', () => {
    const having = containersOf(pod).filter(({ env }) => env?.some(({ name }) => name === etcdEnv[0]?.name));
    expect(having.map(({ name }) => name)).toEqual(['etcd']);
  });

  test('labels and annotations beside ours, never instead of them', () => {
    expect(pod.metadata?.labels).toMatchObject({ team: 'a', app: 'etcd', etcd_cluster: 'example' });
    const greedy = podOf({
      size: 3,
      version: '3.6.16',
      pod: { annotations: { 'etcd.version': '9', 'etcd.database.coreos.com/initial-cluster-state': 'new' } },
    });
    expect(greedy.metadata?.annotations?.['etcd.version']).toBe('3.6.16');
  });
});

describe('[37] probes', () => {
  const versions = ['3.2.32', '3.3.27', '3.4.23', '3.4.44', '3.5.10', '3.5.35', '3.6.16', '3.7.3'];
  const TLS = { static: { member: { serverSecret: 's' }, operatorSecret: 'o' } };

  test.each(versions)('of %s need no shell and no certificate, with TLS or without', (version) => {
    for (const spec of [
      { size: 3, version },
      { size: 3, version, TLS },
    ]) {
      const etcd = etcdOf(podOf(spec));
      for (const probe of [etcd?.startupProbe, etcd?.readinessProbe, etcd?.livenessProbe]) {
        expect(probe?.exec).toBeUndefined();
        expect(probe?.httpGet ?? probe?.tcpSocket).toBeDefined();
        expect(probe?.httpGet?.scheme ?? 'HTTP').toBe('HTTP');
      }
    }
  });

  test('readiness asks for a leader wherever etcd can tell, liveness never does', () => {
    for (const version of ['3.4.44', '3.5.35', '3.6.16', '3.7.3']) {
      const etcd = etcdOf(podOf({ size: 3, version }));
      expect(etcd?.readinessProbe?.httpGet?.path).toBe('/readyz');
      expect(etcd?.livenessProbe?.httpGet?.path).toBe('/livez');
    }
  });

  test('rule 3: /health is never asked: below 3.5 each answer is an entry in the log', () => {
    for (const version of versions) expect(JSON.stringify(podOf({ size: 3, version }))).not.toContain('"/health"');
  });

  test('an overloaded member has a minute, one that loads a large database ten', () => {
    const etcd = etcdOf(podOf({ size: 3 }));
    const patience = (probe: Container['livenessProbe']) =>
      (probe?.periodSeconds ?? 0) * (probe?.failureThreshold ?? 0);
    expect(patience(etcd?.livenessProbe)).toBeGreaterThanOrEqual(60);
    expect(patience(etcd?.startupProbe)).toBeGreaterThanOrEqual(600);
  });
});

describe('[38] security contexts', () => {
  test('what the spec gives is passed on as it is', () => {
    const securityContext = { runAsUser: 9000, fsGroup: 9000 };
    const containerSecurityContext = { privileged: false };
    const pod = podOf({ size: 3, pod: { securityContext, containerSecurityContext } });
    expect(pod.spec?.securityContext).toEqual(securityContext);
    expect(containersOf(pod).map((container) => container.securityContext)).toEqual([
      containerSecurityContext,
      containerSecurityContext,
    ]);
  });

  test('by default every container satisfies the restricted level', () => {
    const pod = podOf({ size: 3 });
    expect(pod.spec).toMatchObject({
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(pod.spec?.hostNetwork ?? pod.spec?.hostPID ?? pod.spec?.hostIPC).toBeUndefined();
    for (const container of containersOf(pod)) {
      expect(container.securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.ports?.some(({ hostPort }) => hostPort !== undefined) ?? false).toBe(false);
    }
    for (const volume of pod.spec?.volumes ?? []) expect(volume.hostPath).toBeUndefined();
  });
});
