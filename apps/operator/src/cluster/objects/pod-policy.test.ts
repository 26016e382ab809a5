// SPDX-License-Identifier: Apache-2.0
import type { Container, Pod } from '@operator-parts/kube';
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
    // A joining member has every container that a member can have.
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

describe('operator rule 27: the user of members', () => {
  const userOf = ({ spec }: Pod) => ({ user: spec?.securityContext?.runAsUser, group: spec?.securityContext?.fsGroup });

  test('is an unprivileged user for members that are newly made', () => {
    const pod = podOf({ size: 3 });
    expect(userOf(pod)).toEqual({ user: 1000, group: 1000 });
    expect(etcdOf(pod)?.securityContext?.capabilities?.drop).toEqual(['ALL']);
  });

  test("stays root on a volume of CoreOS etcd-operator, whose files are root's: they are not given to another group", () => {
    const pod = podOf({ size: 3 }, true);
    expect(userOf(pod)).toEqual({ user: undefined, group: undefined });
    expect(etcdOf(pod)?.securityContext).toEqual({ allowPrivilegeEscalation: false });
  });
});

test('what the operator reads back as facts about a member cannot come from the spec', () => {
  const foreign = {
    'etcd.database.coreos.com/member-id': '1',
    'etcd.database.coreos.com/cluster-id': '2',
    'etcd.database.coreos.com/voter': 'true',
    'etcd.database.coreos.com/fresh-volume': 'true',
    'etcd.database.coreos.com/image-check': 'other',
  };
  const { metadata } = podOf({ size: 3, pod: { labels: { ...foreign, mine: 'a' }, annotations: foreign } });
  expect(metadata?.labels).toHaveProperty('mine', 'a');
  for (const key of Object.keys(foreign)) {
    expect(metadata?.labels).not.toHaveProperty([key]);
    expect(metadata?.annotations).not.toHaveProperty([key]);
  }
});

test("of stored objects, only etcd's own variables and those to tune it with are passed on", () => {
  const etcdEnv = ['ETCD_AUTO_COMPACTION_MODE', 'GOMEMLIMIT', 'BOOT_STATE', 'LD_PRELOAD'].map((name) => ({
    name,
    value: 'x',
  }));
  const names = etcdOf(podOf({ size: 3, pod: { etcdEnv } }))?.env?.filter(({ value }) => value === 'x');
  expect(names?.map(({ name }) => name)).toEqual(['ETCD_AUTO_COMPACTION_MODE', 'GOMEMLIMIT']);
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

  test('operator rule 3: /health is never asked: below 3.5 each answer is an entry in the log', () => {
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
  const contexts = (pod: NonNullable<EtcdClusterSpec['pod']>, ownsFilesAsRoot = false) => {
    const made = podOf({ size: 3, pod }, ownsFilesAsRoot);
    return {
      whole: made.spec?.securityContext,
      each: containersOf(made).map((container) => container.securityContext),
    };
  };
  const seccompProfile = { type: 'RuntimeDefault' };

  test('what the spec gives is passed on, with what it leaves out for a user that is not root', () => {
    const securityContext = { runAsUser: 9000, fsGroup: 9000 };
    const own = { privileged: false, allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
    expect(contexts({ securityContext, containerSecurityContext: { privileged: false } })).toEqual({
      whole: { ...securityContext, runAsNonRoot: true, seccompProfile },
      each: [own, own],
    });
  });

  test('what the spec gives is never changed', () => {
    const securityContext = { runAsUser: 9000, runAsNonRoot: false, seccompProfile: { type: 'Unconfined' } } as const;
    const containerSecurityContext = { allowPrivilegeEscalation: true, capabilities: { add: ['CHOWN'] } };
    const each = { ...containerSecurityContext, capabilities: { drop: ['ALL'], add: ['CHOWN'] } };
    expect(contexts({ securityContext, containerSecurityContext })).toEqual({
      whole: securityContext,
      each: [each, each],
    });
    const keepsAll = { capabilities: { drop: [] } };
    expect(contexts({ securityContext, containerSecurityContext: keepsAll }).each[0]).toMatchObject(keepsAll);
  });

  test.each<[NonNullable<EtcdClusterSpec['pod']>, boolean]>([
    [{ securityContext: { fsGroup: 9000 } }, false],
    [{ securityContext: { runAsUser: 0 } }, false],
    [{ containerSecurityContext: {} }, true],
    [{ securityContext: { runAsUser: 9000 }, containerSecurityContext: { runAsUser: 0 } }, false],
  ])('files of root stay readable: %j forces no other user, and takes no capability', (pod, ownsFilesAsRoot) => {
    const containerSecurityContext = { readOnlyRootFilesystem: true, ...pod.containerSecurityContext };
    const { whole, each } = contexts({ ...pod, containerSecurityContext }, ownsFilesAsRoot);
    expect(whole).toEqual({ ...pod.securityContext, seccompProfile });
    expect(each[0]).toEqual({ ...containerSecurityContext, allowPrivilegeEscalation: false });
  });

  test.each([{ privileged: true }, { capabilities: { add: ['SYS_ADMIN'] } }])(
    'Kubernetes refuses to forbid escalation with %j: it is not forbidden',
    (containerSecurityContext) => {
      expect(contexts({ containerSecurityContext }).each[0]).not.toHaveProperty('allowPrivilegeEscalation');
    },
  );

  test('host namespaces, other containers and tokens are no fields of the spec, and are not passed on', () => {
    const foreign = {
      ...{ hostNetwork: true, hostPID: true, hostIPC: true, hostUsers: true, shareProcessNamespace: true },
      ...{ serviceAccount: 'admin', automountServiceAccountToken: true, nodeName: 'n' },
      containers: [{ name: 'evil', image: 'evil' }],
    };
    const { metadata: _, ...made } = podOf({ size: 3, pod: foreign as NonNullable<EtcdClusterSpec['pod']> });
    const { metadata: __, ...plain } = podOf({ size: 3 });
    expect(made).toEqual(plain);
  });

  test('a volume of the host makes a spec invalid', () => {
    const volumes = [{ name: 'host', hostPath: { path: '/' } }];
    const pod = { volumes } as unknown as NonNullable<EtcdClusterSpec['pod']>;
    expect(() => podOf({ size: 3, pod })).toThrow('spec.pod.volumes has host, which must be one of');
  });

  test('a service account is passed on, which the grants have to allow first, and its token is not mounted', () => {
    const { spec } = podOf({ size: 3, pod: { serviceAccountName: 'mine' } });
    expect(spec).toMatchObject({ serviceAccountName: 'mine', automountServiceAccountToken: false });
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
