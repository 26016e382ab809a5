// SPDX-License-Identifier: Apache-2.0
import { crdOf } from '@operator-parts/crd';
import { customResourceDefinitions, isKubeError } from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiServerScene, clusterWith } from '../testing/api-server-scene.ts';
import { etcdClusters } from './etcd-cluster.ts';

let scene: ApiServerScene;

beforeAll(async () => {
  scene = await ApiServerScene.open();
  await scene.installCrd();
});

afterAll(() => scene?.[Symbol.asyncDispose]());

/** Every field that CoreOS defined, by its JSON name, with a value other than the default. */
const everyOriginalField = {
  size: 3,
  repository: 'example.com/etcd',
  version: 'v3.6.16',
  paused: true,
  pod: {
    labels: { team: 'storage' },
    nodeSelector: { disk: 'ssd' },
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 100,
            podAffinityTerm: {
              labelSelector: { matchExpressions: [{ key: 'etcd_cluster', operator: 'In', values: ['all'] }] },
              topologyKey: 'kubernetes.io/hostname',
            },
          },
        ],
      },
    },
    antiAffinity: true,
    resources: { requests: { cpu: '200m' }, limits: { memory: '1Gi' } },
    tolerations: [{ key: 'dedicated', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 5 }],
    etcdEnv: [{ name: 'ETCD_AUTO_COMPACTION_RETENTION', value: '1' }],
    persistentVolumeClaimSpec: {
      storageClassName: 'fast',
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
    },
    annotations: { 'prometheus.io/scrape': 'true' },
    busyboxImage: 'busybox:1.36',
    securityContext: { runAsNonRoot: true, runAsUser: 9000, fsGroup: 9000 },
    DNSTimeoutInSecond: 30,
    ClusterDomain: '.cluster.local',
  },
  TLS: {
    static: {
      member: { peerSecret: 'etcd-peer-tls', serverSecret: 'etcd-server-tls' },
      operatorSecret: 'etcd-client-tls',
    },
  },
};

describe('the kind', () => {
  test('[1] is the one of CoreOS etcd-operator, as a definition of today', () => {
    const { apiVersion, metadata, spec } = crdOf(etcdClusters);
    expect(apiVersion).toBe('apiextensions.k8s.io/v1');
    expect(metadata?.name).toBe('etcdclusters.etcd.database.coreos.com');
    expect(spec).toMatchObject({
      group: 'etcd.database.coreos.com',
      scope: 'Namespaced',
      names: { kind: 'EtcdCluster', plural: 'etcdclusters', singular: 'etcdcluster', shortNames: ['etcd'] },
    });
    expect(spec.versions).toMatchObject([
      { name: 'v1beta2', served: true, storage: true, subresources: { status: {} } },
    ]);
  });

  test('[1] an API server takes it and serves it', async () => {
    const found = await scene.client
      .resource(customResourceDefinitions)
      .get({ name: crdOf(etcdClusters).metadata?.name ?? '' });
    expect(found.status?.conditions).toContainEqual(expect.objectContaining({ type: 'Established', status: 'True' }));
    expect((await scene.clusters.list({ namespace: 'default' })).items).toEqual([]);
  });

  test('[16] it can be scaled, and lists show what matters', async () => {
    const [version] = crdOf(etcdClusters).spec.versions;
    expect(version?.subresources?.scale).toEqual({
      specReplicasPath: '.spec.size',
      statusReplicasPath: '.status.size',
      labelSelectorPath: '.status.selector',
    });
    expect(version?.additionalPrinterColumns?.map(({ name }) => name)).toEqual([
      'Size',
      'Ready',
      'Version',
      'Phase',
      'Available',
      'Age',
    ]);
  });
});

describe('what is accepted', () => {
  test('[2] every field of CoreOS etcd-operator, and it comes back as it was written', async () => {
    await scene.clusters.create(clusterWith('every-field', everyOriginalField));
    expect((await scene.clusters.get({ namespace: 'default', name: 'every-field' })).spec).toEqual(everyOriginalField);
  });

  test('[2] capitals matter: a field in another spelling is not taken for ours', async () => {
    await scene.clusters.create(clusterWith('spelling', { size: 1, tls: { static: { operatorSecret: 'x' } } }));
    const { spec } = await scene.clusters.get({ namespace: 'default', name: 'spelling' });
    expect(spec.TLS).toBeUndefined();
  });

  test.each([
    ['example-etcd-cluster', { size: 3, version: '3.2.13' }],
    [
      'example',
      {
        size: 3,
        TLS: {
          static: {
            member: { peerSecret: 'etcd-peer-tls', serverSecret: 'etcd-server-tls' },
            operatorSecret: 'etcd-client-tls',
          },
        },
      },
    ],
    ['etcd-cluster', { size: 3, version: '3.2.25', repository: 'quay.io/coreos/etcd', pod: { antiAffinity: false } }],
    [
      'with-pv',
      {
        size: 3,
        pod: {
          persistentVolumeClaimSpec: {
            storageClassName: 'standard',
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: '512Mi' } },
          },
        },
      },
    ],
  ])("[3] CoreOS's example %s, word for word", async (name, spec) => {
    const created = await scene.clusters.create(clusterWith(name, spec));
    expect(created.spec).toEqual(spec);
  });

  test('an image by digest, and a Service of both IP families whose first one stays', async () => {
    const spec = {
      size: 3,
      version: '3.6.16',
      image: `example.com:5000/etcd@sha256:${'a'.repeat(64)}`,
      service: { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6', 'IPv4'] },
    };
    expect((await scene.clusters.create(clusterWith('by-digest', spec))).spec).toEqual(spec);
    const key = { namespace: 'default', name: 'by-digest' };
    const patch = (service: object) => scene.clusters.patch(key, { type: 'merge', patch: { spec: { service } } });
    await expect(patch({ ipFamilies: ['IPv4', 'IPv6'] })).rejects.toThrow(
      /first entry of ipFamilies cannot be changed/,
    );
    expect((await patch({ ipFamilies: ['IPv6'] })).spec.service?.ipFamilies).toEqual(['IPv6']);
  });

  test('of a sidecar what may be said; probes, hooks and a security context of its own are pruned', async () => {
    const kept = { name: 'a', image: 'x:1', command: ['a'], env: [{ name: 'A', value: 'b' }] };
    const sidecar = { ...kept, securityContext: { privileged: true }, livenessProbe: {}, lifecycle: {} };
    const volumes = [{ name: 'v', configMap: { name: 'c' } }];
    const pod = { sidecars: [sidecar], volumes, volumeMounts: [{ name: 'v', mountPath: '/var/log' }] };
    const { spec } = await scene.clusters.create(clusterWith('with-sidecar', { size: 3, pod }));
    expect(spec.pod).toEqual({ ...pod, sidecars: [kept] });
  });

  test('[4] what CoreOS wrote and what it retired is kept, nulls included', async () => {
    const old = {
      size: 3,
      repository: 'quay.io/coreos/etcd',
      version: '3.2.13',
      baseImage: 'quay.io/coreos/etcd',
      backup: { backupIntervalInSecond: 30, storageType: 'S3' },
      restore: { backupClusterName: 'other' },
      selfHosted: { skipBootMemberRemoval: true },
      TLS: null,
      pod: {
        resources: {},
        ClusterDomain: '',
        automountServiceAccountToken: false,
        resourceRequirements: { limits: {} },
        persistentVolumeClaimSpec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
        },
      },
    };
    await scene.clusters.create(clusterWith('retired', old));
    const key = { namespace: 'default', name: 'retired' };
    await scene.clusters.patch(key, { type: 'merge', patch: { spec: { size: 5 } } });
    const status = { phase: 'Running', conditions: null, members: { ready: null }, backupServiceStatus: { recent: 1 } };
    await scene.clusters.status.patch(key, { type: 'merge', patch: { status } });
    const { spec, status: kept } = await scene.clusters.get(key);
    expect(spec).toEqual({ ...old, size: 5 });
    expect(kept).toMatchObject({ phase: 'Running', backupServiceStatus: { recent: 1 } });
  });
});

describe('what is refused at admission, in words', () => {
  test.each<[string, unknown, RegExp]>([
    ['[9] no size', {}, /spec\.size: Required value/],
    ['[9] size 0', { size: 0 }, /size must be between 1 and 7/],
    ['[9] a negative size', { size: -3 }, /size must be between 1 and 7/],
    ['[9] size 8', { size: 8 }, /size must be between 1 and 7/],
    ['[9] a size in words', { size: 'three' }, /spec\.size.*integer/],
    ['[9] a malformed version', { size: 3, version: 'latest' }, /version must look like 3\.6\.16/],
    ['[9] a negative time limit', { size: 1, pod: { DNSTimeoutInSecond: -1 } }, /DNSTimeoutInSecond/],
    [
      '[8] the label app',
      { size: 3, pod: { labels: { app: 'x' } } },
      /labels app and etcd_\* are reserved for the operator/,
    ],
    ['[8] a label etcd_x', { size: 3, pod: { labels: { etcd_x: 'y' } } }, /labels app and etcd_\*/],
    [
      'a label that the operator reads back',
      { size: 3, pod: { labels: { 'etcd.database.coreos.com/voter': 'true' } } },
      /keys that begin with etcd\.database\.coreos\.com\/ are reserved for the operator/,
    ],
    [
      'an annotation that the operator reads back',
      { size: 3, pod: { annotations: { 'etcd.database.coreos.com/member-id': '1' } } },
      /keys that begin with etcd\.database\.coreos\.com\/ are reserved for the operator/,
    ],
    [
      "the annotation of a member's version",
      { size: 3, pod: { annotations: { 'etcd.version': '3.6.16' } } },
      /etcd\.version is reserved for the operator/,
    ],
    [
      'a variable that makes etcd another program',
      { size: 3, pod: { etcdEnv: [{ name: 'LD_PRELOAD', value: '/tmp/evil.so' }] } },
      /names in etcdEnv must begin with ETCD_, or be one of GODEBUG/,
    ],
    [
      'a process of the host',
      { size: 3, pod: { containerSecurityContext: { windowsOptions: { hostProcess: true } } } },
      /windowsOptions\.hostProcess cannot be true/,
    ],
    [
      'an unmasked /proc',
      { size: 3, pod: { containerSecurityContext: { procMount: 'Unmasked' } } },
      /procMount cannot be Unmasked/,
    ],
    ['a text without end', { size: 3, pod: { busyboxImage: 'x'.repeat(5_000) } }, /busyboxImage: Too long/],
    [
      'a sidecar called etcd',
      { size: 3, pod: { sidecars: [{ name: 'etcd', image: 'x' }] } },
      /a container cannot have one of the reserved names etcd/,
    ],
    [
      "a sidecar at etcd's port",
      { size: 3, pod: { sidecars: [{ name: 'a', image: 'x', ports: [{ containerPort: 2379 }] }] } },
      /containerPort cannot be one of 2379/,
    ],
    [
      'a port of the node',
      { size: 3, pod: { initContainers: [{ name: 'a', image: 'x', ports: [{ containerPort: 80, hostPort: 80 }] }] } },
      /hostPort and hostIP cannot be set/,
    ],
    [
      'the data as a volume',
      { size: 3, pod: { volumes: [{ name: 'etcd-data', emptyDir: {} }] } },
      /one of the reserved names/,
    ],
    [
      'a volume of the host',
      { size: 3, pod: { volumes: [{ name: 'a', hostPath: { path: '/' } }] } },
      /each volume must have exactly one of configMap, downwardAPI, emptyDir, projected, secret/,
    ],
    [
      "another member's volume",
      { size: 3, pod: { volumes: [{ name: 'a', persistentVolumeClaim: { claimName: 'x-bcdfghjklm' } }] } },
      /each volume must have exactly one of/,
    ],
    [
      'a mount over the data',
      { size: 3, pod: { volumeMounts: [{ name: 'a', mountPath: '/var/etcd/data' }] } },
      /without a slash at its end; \/var\/etcd/,
    ],
    [
      'a mount over everything',
      { size: 3, pod: { volumeMounts: [{ name: 'a', mountPath: '/' }] } },
      /and their parent folders are reserved/,
    ],
    ['an image without a tag', { size: 3, version: '3.6.16', image: 'example.com:5000/etcd' }, /spec\.image/],
    [
      'an image of an unknown version',
      { size: 3, image: 'example.com/etcd:v3.6.16' },
      /`image` requires the field `version`/,
    ],
    [
      'an image and a repository',
      { size: 3, version: '3.6.16', image: 'example.com/etcd:v3.6.16', repository: 'example.com/etcd' },
      /`image` and `repository` cannot be used together/,
    ],
    ['etcd without TLS on every node', { size: 3, service: { type: 'NodePort' } }, /require TLS for clients/],
    ['etcd without TLS for the world', { size: 3, service: { type: 'LoadBalancer' } }, /require TLS for clients/],
    [
      'ranges without a load balancer',
      { size: 3, service: { loadBalancerSourceRanges: ['10.0.0.0/8'] } },
      /if type is LoadBalancer/,
    ],
    ['an IP family twice', { size: 3, service: { ipFamilies: ['IPv6', 'IPv6'] } }, /the same IP family twice/],
    [
      'two IP families of one stack',
      { size: 3, service: { ipFamilies: ['IPv6', 'IPv4'] } },
      /ipFamilyPolicy must be PreferDualStack/,
    ],
    [
      'an alias that is no address',
      { size: 3, pod: { hostAliases: [{ ip: 'localhost', hostnames: ['a'] }] } },
      /hostAliases\[0\]\.ip/,
    ],
    [
      '[8] [10] D1: an operator secret without members',
      { size: 3, TLS: { static: { operatorSecret: 'x' } } },
      /operator secret set but member serverSecret not set/,
    ],
    [
      '[8] a server secret without an operator secret',
      { size: 3, TLS: { static: { member: { serverSecret: 'x' } } } },
      /member serverSecret set but operator secret not set/,
    ],
  ])('%s', async (_, spec, message) => {
    const refusal = await scene.clusters.create(clusterWith('refused', spec)).catch((error: unknown) => error);
    expect(isKubeError(refusal, 'Invalid')).toBe(true);
    expect(String(refusal)).toMatch(message);
  });
});
