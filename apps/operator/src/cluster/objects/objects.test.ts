// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import type { EtcdClusterSpec } from '../../api/etcd-cluster.ts';
import { desiredOf } from '../desired.ts';
import { disruptionBudget } from './disruption-budget.ts';
import { imageCheckPod } from './image-check-pod.ts';
import { type BootValues, type MemberPodOptions, memberPod } from './member-pod.ts';
import { clientService, peerService } from './services.ts';
import type { TlsKeyStyles } from './tls-volumes.ts';
import { volumeClaim } from './volume-claim.ts';

/**
 * Compares an object that the operator creates with its golden file below golden/, which is reviewed. After an intended change run `npm
 * test -- apps/operator/src/cluster/objects --update`.
 */
async function expectGolden(name: string, object: unknown): Promise<void> {
  await expect(`${JSON.stringify(object, undefined, 2)}\n`).toMatchFileSnapshot(`golden/${name}.json`);
}

const cluster = { name: 'example', namespace: 'default', uid: '0b7a3c3e-6c2f-4f52-9a3e-6b1f5d1c2a77' };
const name = 'example-bcdfghjklm';
const joining: BootValues = {
  state: 'existing',
  members: ['example-first', name].map((member) => ({
    name: member,
    peerUrl: `http://${member}.example.default.svc:2380`,
  })),
};
const ownStyle: TlsKeyStyles = { peer: 'own', server: 'own', client: 'own' };
const kubernetesStyle: TlsKeyStyles = { peer: 'kubernetes', server: 'kubernetes', client: 'kubernetes' };

function podOf(spec: EtcdClusterSpec, options: Partial<MemberPodOptions> = {}) {
  const desired = desiredOf(cluster.name, spec);
  if ('problems' in desired) throw new Error(desired.problems.join('; '));
  return memberPod({
    cluster,
    desired,
    spec,
    name,
    incarnation: 1,
    boot: { state: 'new' },
    tlsKeys: ownStyle,
    ...options,
  });
}

const claim = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
  storageClassName: 'fast',
} as const;

const bothTLS = {
  static: { member: { peerSecret: 'etcd-peer', serverSecret: 'etcd-server' }, operatorSecret: 'etcd-client' },
} as const;

/** Every field of the pod policy at once. */
const everyField: EtcdClusterSpec = {
  size: 3,
  version: '3.6.16',
  pod: {
    labels: { team: 'storage' },
    annotations: { note: 'mine', 'etcd.version': 'not mine to set' },
    nodeSelector: { disk: 'ssd' },
    affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
    antiAffinity: true,
    resources: { requests: { cpu: '200m', memory: '64Mi' }, limits: { memory: '5Gi' } },
    tolerations: [{ key: 'dedicated', operator: 'Exists', effect: 'NoSchedule' }],
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' },
    ],
    etcdEnv: [{ name: 'ETCD_AUTO_COMPACTION_RETENTION', value: '1' }],
    busyboxImage: 'busybox:1.36',
    DNSTimeoutInSecond: 30,
    ClusterDomain: '.cluster.local',
    securityContext: { runAsUser: 9000, fsGroup: 9000 },
    containerSecurityContext: { privileged: false },
    priorityClassName: 'important',
    imagePullSecrets: [{ name: 'registry' }],
    tmpfs: true,
  },
};

const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;

/** Fields added after the first release. A spec without them gives the same pods as before, so an upgrade restarts no members. */
const laterFields: EtcdClusterSpec = {
  size: 3,
  pod: {
    schedulerName: 'my-scheduler',
    runtimeClassName: 'gvisor',
    hostAliases: [{ ip: '10.0.0.7', hostnames: ['ldap.example.com', 'ldap'] }],
    serviceAccountName: 'etcd-logs',
    sidecars: [
      {
        name: 'logger',
        image: 'example.com/logger:1',
        args: ['--folder=/logs'],
        env: [{ name: 'LEVEL', value: 'info' }],
        ports: [{ name: 'http', containerPort: 8080 }],
        resources: { limits: { memory: '64Mi' } },
        volumeMounts: [{ name: 'logs', mountPath: '/logs', readOnly: true }],
      },
    ],
    initContainers: [{ name: 'prepare', image: 'busybox:1.36', command: ['true'] }],
    volumes: [
      { name: 'logs', emptyDir: {} },
      { name: 'token', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } },
    ],
    volumeMounts: [{ name: 'logs', mountPath: '/var/log/etcd' }],
  },
};

describe('[30] [31] the pod of a member', () => {
  const identity = { clusterId: 'cdf818194e3a8c32', memberId: '8e9e05c52164694d' };

  test.each<[string, EtcdClusterSpec, Partial<MemberPodOptions>]>([
    ['pod-seed', { size: 3 }, {}],
    ['pod-joining-member', { size: 3 }, { boot: joining }],
    ['pod-voter', { size: 3 }, { boot: { state: 'cleared' }, identity, isVoter: true }],
    [
      'pod-during-upgrade',
      { size: 3, version: '3.6.16' },
      { boot: { state: 'cleared' }, identity, rollbackTo: { version: '3.5.35', image: 'quay.io/coreos/etcd:v3.5.35' } },
    ],
    ['pod-on-volume', { size: 3, pod: { persistentVolumeClaimSpec: claim } }, {}],
    [
      'pod-on-coreos-volume',
      { size: 3, pod: { persistentVolumeClaimSpec: claim } },
      { boot: { state: 'cleared' }, identity, isVoter: true, ownsFilesAsRoot: true },
    ],
    ['pod-in-memory', { size: 3, pod: { tmpfs: true } }, {}],
    ['pod-peer-tls', { size: 3, TLS: { static: { member: { peerSecret: 'etcd-peer' } } } }, {}],
    [
      'pod-client-tls',
      { size: 3, TLS: { static: { member: { serverSecret: 'etcd-server' }, operatorSecret: 'etcd-client' } } },
      {},
    ],
    ['pod-tls', { size: 3, TLS: bothTLS }, {}],
    ['pod-tls-kubernetes-secrets', { size: 3, TLS: bothTLS }, { tlsKeys: kubernetesStyle }],
    ['pod-second-incarnation', { size: 3 }, { incarnation: 2 }],
    ['pod-low-snapshot-count', { size: 3 }, { snapshotCount: '5' }],
    ['pod-every-field', everyField, { boot: joining }],
    ['pod-later-fields', laterFields, { boot: joining }],
    ['pod-image-by-digest', { size: 3, version: '3.6.16', image: `example.com:5000/etcd@${digest}` }, {}],
    ['pod-anti-affinity', { size: 3, pod: { antiAffinity: true } }, {}],
    ['pod-without-dns-check', { size: 3, pod: { checkDNS: false } }, { boot: joining }],
    ['pod-other-repository', { size: 3, repository: 'example.com:5000/etcd', version: 'v3.6.16' }, {}],
  ])('%s', async (file, spec, options) => {
    await expectGolden(file, podOf(spec, options));
  });

  test('[35] only a member that joins waits for DNS: the seed and a member with data look no name up', () => {
    const initContainers = (boot: BootValues) =>
      podOf({ size: 3 }, { boot }).spec?.initContainers?.map(({ name }) => name);
    expect(initContainers(joining)).toEqual(['check-dns']);
    expect(initContainers({ state: 'new' })).toBeUndefined();
    expect(initContainers({ state: 'cleared' })).toBeUndefined();
  });

  test('operator rule 17: a joining member waits for names that exist; with peer TLS for its own, by which the others know it', () => {
    const asked = (spec: EtcdClusterSpec) =>
      podOf(spec, { boot: joining }).spec?.initContainers?.[0]?.command?.slice(6);
    const own = 'example-bcdfghjklm.example.default.svc';
    expect(asked({ size: 3 })).toEqual(['example-first.example.default.svc', own]);
    expect(asked({ size: 3, TLS: { static: { member: { peerSecret: 'etcd-peer' } } } })).toEqual([own]);
  });

  test('operator rule 17: every member finds its own name without DNS', () => {
    for (const boot of [joining, { state: 'new' }, { state: 'cleared' }] as const)
      expect(podOf({ size: 3 }, { boot }).spec?.hostAliases).toEqual([
        { ip: '127.0.0.1', hostnames: ['example-bcdfghjklm.example.default.svc'] },
      ]);
  });

  test.each(['3.3.27', '3.4.23', '3.4.44', '3.5.10', '3.5.35', '3.6.16', '3.7.3'])(
    'operator rule 15: %s is probed as it can be',
    async (version) => {
      await expectGolden(`pod-of-${version}`, podOf({ size: 3, version }));
    },
  );
});

describe('the objects around members', () => {
  test('[32] [33] the peer Service', async () => {
    await expectGolden('service-peer', peerService(cluster));
  });

  test('[32] [33] the client Service', async () => {
    await expectGolden('service-client', clientService(cluster));
  });

  test('[42] the client Service with annotations of the user', async () => {
    await expectGolden(
      'service-client-annotated',
      clientService(cluster, { annotations: { 'example.com/lb': 'internal' } }),
    );
  });

  test('the client Service behind a load balancer, with addresses of both IP families', async () => {
    const asked = {
      type: 'LoadBalancer',
      loadBalancerClass: 'example.com/internal',
      loadBalancerSourceRanges: ['10.0.0.0/8', 'fd00::/8'],
      ipFamilyPolicy: 'PreferDualStack',
      ipFamilies: ['IPv6', 'IPv4'],
      annotations: { 'example.com/lb': 'internal' },
    } as const;
    await expectGolden('service-client-load-balancer', clientService(cluster, asked));
  });

  test('[39] the volume of a member', async () => {
    await expectGolden(
      'volume',
      volumeClaim(cluster, { name, incarnation: 1 }, { version: '3.6.16', peerTLS: true, clientTLS: false }, claim),
    );
  });

  test('[41] the disruption budget', async () => {
    await expectGolden('disruption-budget', disruptionBudget(cluster, 2));
  });

  test('operator rule 6: the pod that proves an image', async () => {
    await expectGolden('image-check', imageCheckPod(cluster, { size: 3 }, 'node-1', 'quay.io/coreos/etcd:v3.6.16'));
  });

  test('operator rule 6: the same with pull secrets, tolerations and a priority', async () => {
    await expectGolden('image-check-every-field', imageCheckPod(cluster, everyField, 'node-1', 'x/etcd:v3.6.16'));
  });
});

describe('what holds for all of them', () => {
  const pods = [podOf({ size: 3 }), podOf(everyField), podOf({ size: 3, TLS: bothTLS })];

  test('[26] everything belongs to the EtcdCluster, and goes with it', () => {
    const objects = [
      ...pods,
      peerService(cluster),
      clientService(cluster),
      disruptionBudget(cluster, 2),
      volumeClaim(cluster, { name, incarnation: 1 }, { version: '3.6.16', peerTLS: true, clientTLS: false }, claim),
      imageCheckPod(cluster, { size: 3 }, 'n', 'i'),
    ];
    for (const { metadata } of objects) {
      expect(metadata?.ownerReferences).toEqual([
        {
          apiVersion: 'etcd.database.coreos.com/v1beta2',
          kind: 'EtcdCluster',
          name: 'example',
          uid: cluster.uid,
          controller: true,
        },
      ]);
    }
  });

  test('operator rule 1: no boot value is in the command line; all come from annotations at every start', () => {
    for (const { spec } of pods) {
      const command = spec?.containers[0]?.command ?? [];
      expect(command.filter((argument) => argument.startsWith('--initial-cluster'))).toEqual([
        '--initial-cluster=$(BOOT_CLUSTER)',
        '--initial-cluster-state=$(BOOT_STATE)',
        '--initial-cluster-token=$(BOOT_TOKEN)',
      ]);
    }
  });

  test('operator rule 2: every member starts with the raised limit of learners', () => {
    for (const { spec } of pods) {
      expect(spec?.containers[0]?.env).toContainEqual({ name: 'ETCD_MAX_LEARNERS', value: '7' });
    }
  });

  test('operator rule 4: another incarnation has another token', () => {
    const token = (incarnation: number) =>
      podOf({ size: 3 }, { incarnation }).metadata?.annotations?.['etcd.database.coreos.com/initial-cluster-token'];
    expect(token(1)).not.toBe(token(2));
  });

  test('operator rule 16: only voters carry the label that the budget selects', () => {
    const selector = disruptionBudget(cluster, 2).spec?.selector?.matchLabels ?? {};
    const isSelected = (isVoter: boolean) => {
      const labels = podOf({ size: 3 }, { isVoter }).metadata?.labels ?? {};
      return Object.entries(selector).every(([key, value]) => labels[key] === value);
    };
    expect([isSelected(true), isSelected(false)]).toEqual([true, false]);
  });

  test('[36] user annotations cannot replace etcd.version', () => {
    expect(podOf(everyField).metadata?.annotations?.['etcd.version']).toBe('3.6.16');
  });

  test('operator rule 6: an image check is behind no Service and in no budget', () => {
    const labels = imageCheckPod(cluster, { size: 3 }, 'n', 'i').metadata?.labels ?? {};
    expect(labels).not.toHaveProperty('app');
    expect(labels).not.toHaveProperty('etcd_cluster');
  });

  test('operator rule 13: an image check has one name for one image on one node, also for the longest cluster name', () => {
    const named = (node: string, image: string) =>
      imageCheckPod({ ...cluster, name: 'a'.repeat(52) }, { size: 3 }, node, image).metadata?.name ?? '';
    expect(named('n1', 'i')).toBe(named('n1', 'i'));
    expect(new Set([named('n1', 'i'), named('n2', 'i'), named('n1', 'j')]).size).toBe(3);
    expect(named('n1', 'i').length).toBeLessThanOrEqual(63);
  });

  test('security check: no secret value and no password is in any object', () => {
    expect(JSON.stringify(pods)).not.toMatch(/password|BEGIN [A-Z ]*PRIVATE KEY/);
  });
});
