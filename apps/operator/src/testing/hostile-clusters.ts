// SPDX-License-Identifier: Apache-2.0
import type { StructuralSchema } from '@operator-parts/crd';
import { type EtcdCluster, etcdClusters } from '../api/etcd-cluster.ts';
import { clusterWith } from './api-server-scene.ts';

/** An EtcdCluster with a mistake or an attack in it. */
export interface HostileCluster {
  /** What is wrong with it. */
  readonly what: string;
  readonly cluster: EtcdCluster;
}

/** No lab has this image, so a spec that is accepted by mistake starts no process. */
const repository = 'example.invalid/etcd';
const harmless = { size: 1, repository };

type Path = readonly (string | 0)[];

/** Every field of a schema, parents first; `0` is the item of a list. */
function* fieldsOf(schema: StructuralSchema, path: Path = []): Generator<{ path: Path; schema: StructuralSchema }> {
  const below = Object.entries(schema.properties ?? {}).map(([name, field]) => ({
    path: [...path, name],
    schema: field,
  }));
  const item = schema.items ? [{ path: [...path, 0] as Path, schema: schema.items }] : [];
  yield* [...below, ...item];
  for (const field of [...below, ...item]) yield* fieldsOf(field.schema, field.path);
}

const values: readonly unknown[] = ['text', 7.5, true, [1], { odd: { deep: [] } }];

function fits(schema: StructuralSchema, value: unknown): boolean {
  if (schema['x-kubernetes-int-or-string']) return typeof value === 'string';
  switch (schema.type) {
    case undefined:
      return true;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && !Array.isArray(value);
    case 'integer':
    case 'number':
      return typeof value === 'number' && (schema.type === 'number' || Number.isInteger(value));
    default:
      return typeof value === schema.type;
  }
}

function placed(path: Path, value: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  return first === 0 ? [placed(rest, value)] : { [first]: placed(rest, value) };
}

/** Clusters that each have a value of a wrong type in one field of the schema, as many as requested. */
export function wrongTypes(count: number): readonly HostileCluster[] {
  const spec = etcdClusters.schema.properties?.['spec'] ?? {};
  const found: HostileCluster[] = [];
  for (const { path, schema } of fieldsOf(spec)) {
    const wrong = values.filter((value) => !fits(schema, value));
    for (const value of path.length <= 2 ? wrong : wrong.slice(0, 1)) {
      if (found.length === count) return found;
      const what = `${path.join('.')} is ${JSON.stringify(value)}`;
      const made = { ...harmless, ...(placed(path, value) as object) };
      found.push({ what, cluster: clusterWith(`wrong-type-${found.length}`, made) });
    }
  }
  return found;
}

const pod = (fields: object) => ({ ...harmless, pod: fields });
const env = (name: unknown, value: unknown = 'x') => pod({ etcdEnv: [{ name, value }] });
const longText = 'x'.repeat(300_000);
const secret = (fields: object) => ({ ...harmless, TLS: { static: fields } });

/** Each spec tests one possible mistake. */
const specs: Readonly<Record<string, unknown>> = {
  'no spec at all': undefined,
  'an empty spec': {},
  'a spec that is a list': [],
  ...Object.fromEntries(
    [0, -1, 8, 1.5, 2 ** 31, -(2 ** 31) - 1, 1e21, 2 ** 53].map((size) => [`size ${size}`, { repository, size }]),
  ),
  ...Object.fromEntries(
    ['', 'v', 'latest', '3', '3.6', '3.6.x', '3.6.16 ', '../3.6.16', '3.6.16\n', '٣.٦.١', '9'.repeat(40), '0.0.0'].map(
      (version) => [`version ${JSON.stringify(version)}`, { ...harmless, version }],
    ),
  ),
  'a version of another time': { ...harmless, version: '999.999.999' },
  'a version that etcd never had': { ...harmless, version: '1.0.0' },
  'a version as long as a book': { ...harmless, version: `3.6.16-${'a'.repeat(5000)}` },
  'a repository with a line break': { size: 1, repository: 'example.invalid/etcd\nx' },
  'a repository that is an option': { size: 1, repository: '--privileged' },
  'a repository as long as a book': { size: 1, repository: longText },
  'D1: an operator secret alone': secret({ operatorSecret: 'x' }),
  'D1: an operator secret and an empty member': secret({ operatorSecret: 'x', member: {} }),
  'D1: a server secret alone': secret({ member: { serverSecret: 'x' } }),
  'D1: secrets that are not there': secret({ operatorSecret: 'a', member: { serverSecret: 'b', peerSecret: 'c' } }),
  'a secret whose name leaves its folder': secret({ member: { peerSecret: '../../etc/passwd' } }),
  'a secret with an impossible name': secret({ member: { peerSecret: 'UPPER_case' } }),
  'TLS of another kind': { ...harmless, TLS: { dynamic: {} } },
  'D2: an auth secret that is not there': { ...harmless, auth: { secret: 'nowhere' } },
  ...Object.fromEntries(
    ['app', 'etcd_cluster', 'etcd_node', 'etcd_'].map((key) => [`the label ${key}`, pod({ labels: { [key]: 'x' } })]),
  ),
  'a label with an impossible key': pod({ labels: { 'a b/c d/e': 'x' } }),
  'a label with an impossible value': pod({ labels: { team: 'a b' } }),
  'a label called __proto__': pod({ labels: JSON.parse('{"__proto__": "x"}') }),
  'a label of ours': pod({ labels: { 'etcd.database.coreos.com/voter': 'true' } }),
  'a thousand labels': pod({ labels: Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`l${i}`, 'x'])) }),
  'an annotation called constructor': pod({ annotations: { constructor: 'x', 'no good key!': 'y' } }),
  'annotations of 300 kB': pod({ annotations: { a: longText } }),
  'boot values by annotation': pod({ annotations: { 'etcd.database.coreos.com/initial-cluster-state': 'new' } }),
  'a node selector with an impossible key': pod({ nodeSelector: { '!!': 'x' } }),
  'a node that is not there': pod({ nodeSelector: { 'kubernetes.io/hostname': 'nowhere' } }),
  'a toleration of an unknown kind': pod({ tolerations: [{ key: 'a', operator: 'Maybe' }] }),
  'a toleration that contradicts itself': pod({ tolerations: [{ operator: 'Exists', value: 'x' }] }),
  'an affinity without a topology': pod({
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: '' }] } },
  }),
  'spread without a topology': pod({
    topologySpreadConstraints: [{ maxSkew: 0, topologyKey: '', whenUnsatisfiable: 'DoNotSchedule' }],
  }),
  'more requested than allowed': pod({ resources: { requests: { memory: '2Gi' }, limits: { memory: '1Gi' } } }),
  'a quantity in words': pod({ resources: { limits: { memory: 'much' } } }),
  'a negative quantity': pod({ resources: { limits: { memory: '-1' } } }),
  'a resource nobody knows': pod({ resources: { limits: { 'no such/resource/': '1' } } }),
  'memory that cannot hold the data': pod({ tmpfs: true, resources: { limits: { memory: '1Mi' } } }),
  ...Object.fromEntries(
    [
      'ETCD_NAME',
      'ETCD_DATA_DIR',
      'ETCD_INITIAL_CLUSTER',
      'ETCD_INITIAL_CLUSTER_STATE',
      'ETCD_INITIAL_CLUSTER_TOKEN',
      'ETCD_CONFIG_FILE',
      'ETCD_FORCE_NEW_CLUSTER',
      'ETCD_STRICT_RECONFIG_CHECK',
      'ETCD_MAX_LEARNERS',
      'ETCD_LISTEN_METRICS_URLS',
    ].map((name) => [`the option ${name}`, env(name)]),
  ),
  'an option without a name': env(''),
  'an option with an impossible name': env('A=B'),
  'an option of 300 kB': env('ETCD_LOG_LEVEL', longText),
  'too many options': pod({ etcdEnv: Array.from({ length: 200 }, (_, i) => ({ name: `E${i}`, value: '' })) }),
  'an option from nowhere': pod({ etcdEnv: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'no', key: 'no' } } }] }),
  'an option with value and source': pod({
    etcdEnv: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
  }),
  'an option from a field that is not there': pod({
    etcdEnv: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.secrets' } } }],
  }),
  'a volume without a size': pod({ persistentVolumeClaimSpec: {} }),
  'a volume of an unknown access': pod({
    persistentVolumeClaimSpec: { accessModes: ['Always'], resources: { requests: { storage: '1Gi' } } },
  }),
  'a volume of less than nothing': pod({
    persistentVolumeClaimSpec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '-1Gi' } } },
  }),
  'a volume of a class that is not there': pod({
    persistentVolumeClaimSpec: {
      storageClassName: 'no such class',
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
    },
  }),
  'a busybox image that is a command': pod({ busyboxImage: '; rm -rf /' }),
  'DNS for less than no time': pod({ DNSTimeoutInSecond: -1 }),
  'DNS for ever and a day': pod({ DNSTimeoutInSecond: 2 ** 53 }),
  ...Object.fromEntries(
    ['cluster.local', '.CLUSTER.local', '.a b', '. ; reboot', `.${'a'.repeat(300)}`, '..', '.-'].map((domain) => [
      `the cluster domain ${JSON.stringify(domain)}`,
      pod({ ClusterDomain: domain }),
    ]),
  ),
  'a priority that is not there': pod({ priorityClassName: 'no such class' }),
  'a pull secret without a name': pod({ imagePullSecrets: [{}] }),
  'a pull secret with an impossible name': pod({ imagePullSecrets: [{ name: 'NO' }] }),
  'a policy nobody knows': pod({ updatePolicy: 'Sometimes' }),
  ...Object.fromEntries(
    ['soon', '-5m', '', '1e9h', '365d'].map((after) => [`replaced after ${after}`, pod({ replaceAfter: after })]),
  ),
  'a user of less than nobody': pod({ securityContext: { runAsUser: -1 } }),
  'a privileged container': pod({
    containerSecurityContext: { privileged: true, allowPrivilegeEscalation: false },
  }),
  'a seccomp profile nobody knows': pod({ securityContext: { seccompProfile: { type: 'Loose' } } }),
  'annotations of the Service that cannot be': { ...harmless, service: { annotations: { '!!': 'x' } } },
  'annotations of the Service of 300 kB': { ...harmless, service: { annotations: { a: longText } } },
};

const scopes = 'etcd.database.coreos.com';

/** Objects with a mistake outside the spec. */
function oddObjects(): readonly HostileCluster[] {
  const named = (what: string, name: string, metadata: object = {}, spec: unknown = harmless): HostileCluster => ({
    what,
    cluster: clusterWith(name, spec, metadata),
  });
  return [
    named('a name that leaves no room', 'n'.repeat(53)),
    named('a name as long as can be', 'n'.repeat(253)),
    named('a name that is longer', 'n'.repeat(254)),
    named('a name in capitals', 'UPPER'),
    named('a name with a slash', 'a/b'),
    named('a name that is a path', '..'),
    named('no name', ''),
    named('a name with dots, which no Service can have', 'a.b.c'),
    named('a name that begins with a digit, which no Service could have', '1st'),
    named('the identity of another cluster', 'identity', {
      annotations: { [`${scopes}/cluster-id`]: 'cdf818194e3a8c32', [`${scopes}/incarnation`]: '1' },
    }),
    named('an incarnation that is no number', 'incarnation', { annotations: { [`${scopes}/incarnation`]: 'NaN' } }),
    named('an incarnation beyond all numbers', 'beyond', { annotations: { [`${scopes}/incarnation`]: '1e999' } }),
    named(
      'a finalizer that nobody removes',
      'finalizer',
      { finalizers: ['example.com/never'] },
      { ...harmless, size: 0 },
    ),
    named('an owner that is not there', 'owned', {
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'no-such-uid' }],
    }),
  ];
}

/** Written by hand: typical mistakes, attacks, and specs that broke CoreOS etcd-operator (D1 to D5). */
export function byHand(): readonly HostileCluster[] {
  const written = Object.entries(specs).map(([what, spec], index) => ({
    what,
    cluster: clusterWith(`hostile-${index}`, spec),
  }));
  return [...written, ...oddObjects()];
}
