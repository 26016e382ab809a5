// SPDX-License-Identifier: Apache-2.0
import { crdOf } from '@etcd-operator/crd';
import { customResourceDefinitions, isKubeError } from '@etcd-operator/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiServerScene, clusterWith } from '../testing/api-server-scene.ts';
import { etcdClusters } from './etcd-cluster.ts';

let scene: ApiServerScene;

beforeAll(async () => {
  scene = await ApiServerScene.open();
  await scene.installCrd();
});

afterAll(() => scene?.[Symbol.asyncDispose]());

/** Every field that the original knows, by its name in JSON, each with a value that is not its default. */
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
  test('[1] is the one of the original, as a definition of today', () => {
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
      'Age',
    ]);
  });
});

describe('what is accepted', () => {
  test('[2] every field of the original, and it comes back as it was written', async () => {
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
  ])("[3] the original's example %s, word for word", async (name, spec) => {
    const created = await scene.clusters.create(clusterWith(name, spec));
    expect(created.spec).toEqual(spec);
  });

  test('[4] what the original wrote and what it retired is kept, nulls included', async () => {
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
    ['[8] the label app', { size: 3, pod: { labels: { app: 'x' } } }, /labels app and etcd_\* are set by the operator/],
    ['[8] a label etcd_x', { size: 3, pod: { labels: { etcd_x: 'y' } } }, /labels app and etcd_\*/],
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
