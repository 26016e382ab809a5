// SPDX-License-Identifier: Apache-2.0
import {
  bool,
  cel,
  defineKind,
  duration,
  embedded,
  enumeration,
  int32,
  int64,
  type KindOf,
  keyedList,
  list,
  map,
  nullable,
  object,
  optional,
  string,
} from '@etcd-operator/crd';
import { conditionList } from './condition-schema.ts';
import { group } from './names.ts';

/** Names of secrets are names of objects. */
const secretName = (description: string) => optional(string({ description, maxLength: 253 }));

const memberSecrets = object(
  {
    peerSecret: secretName(
      'Secret with peer.crt, peer.key and peer-ca.crt (or tls.crt, tls.key, ca.crt): turns on TLS between members.',
    ),
    serverSecret: secretName('Secret with server.crt, server.key and server-ca.crt (or tls.crt, tls.key, ca.crt).'),
  },
  { preserveUnknownFields: true },
);

const tls = object(
  {
    static: optional(
      object(
        {
          member: optional(memberSecrets),
          operatorSecret: secretName(
            'Secret with etcd-client.crt, etcd-client.key and etcd-client-ca.crt (or tls.crt, tls.key, ca.crt): turns on TLS for clients.',
          ),
        },
        {
          preserveUnknownFields: true,
          rules: [
            cel(
              "!(has(self.operatorSecret) && self.operatorSecret != '') || (has(self.member) && has(self.member.serverSecret) && self.member.serverSecret != '')",
              'operator secret set but member serverSecret not set',
            ),
            cel(
              "!(has(self.member) && has(self.member.serverSecret) && self.member.serverSecret != '') || (has(self.operatorSecret) && self.operatorSecret != '')",
              'member serverSecret set but operator secret not set',
            ),
          ],
        },
      ),
    ),
  },
  { description: 'Certificates for members and clients.', preserveUnknownFields: true },
);

const podPolicy = object(
  {
    labels: optional(
      map(string({ maxLength: 63 }), {
        description: "Added to the pods. The keys app and etcd_* are the operator's own.",
        maxProperties: 64,
        rules: [
          cel(
            "self.all(key, key != 'app' && !key.startsWith('etcd_'))",
            'labels app and etcd_* are set by the operator and cannot be used',
          ),
        ],
      }),
    ),
    annotations: optional(map(string(), { description: "Added to the pods. etcd.version is the operator's own." })),
    nodeSelector: optional(map(string(), { description: 'Nodes the pods may run on.' })),
    affinity: optional(embedded('core/v1', 'Affinity')),
    antiAffinity: optional(bool({ description: 'One pod a node at most.', deprecated: 'use affinity' })),
    resources: optional(embedded('core/v1', 'ResourceRequirements')),
    tolerations: optional(list(embedded('core/v1', 'Toleration'))),
    topologySpreadConstraints: optional(
      list(embedded('core/v1', 'TopologySpreadConstraint'), { description: 'How pods spread over zones and nodes.' }),
    ),
    etcdEnv: optional(
      list(embedded('core/v1', 'EnvVar'), {
        description: 'Options of etcd as ETCD_... variables; those that the operator sets itself are refused.',
        maxItems: 128,
      }),
    ),
    persistentVolumeClaimSpec: optional(embedded('core/v1', 'PersistentVolumeClaimSpec')),
    tmpfs: optional(
      bool({
        description: 'Keeps the data in memory. Counts against the memory limit; lost with the pod and at a reboot.',
      }),
    ),
    busyboxImage: optional(
      string({ description: 'Image of the init container check-dns. Default busybox:1.28.0-glibc.' }),
    ),
    checkDNS: optional(
      bool({ description: 'A member that joins waits in an init container until DNS answers. Default true.' }),
    ),
    securityContext: optional(embedded('core/v1', 'PodSecurityContext')),
    containerSecurityContext: optional(embedded('core/v1', 'SecurityContext')),
    DNSTimeoutInSecond: optional(int64({ description: 'How long check-dns waits; 0 means for ever.', minimum: 0 })),
    ClusterDomain: optional(
      string({
        description: 'Suffix behind .svc in the names of members, with its leading dot: .cluster.local',
        pattern: '^$|^\\.[a-z0-9.-]+$',
        maxLength: 128,
      }),
    ),
    priorityClassName: optional(string()),
    imagePullSecrets: optional(list(object({ name: optional(string()) }))),
    updatePolicy: optional(
      enumeration(['OnNextPod', 'Replace'], {
        description:
          'What happens to pods without a volume when the spec asks for something that only a new pod can have. OnNextPod keeps them until they are replaced for another reason; Replace replaces them one by one, which sends the whole database to each new member.',
      }),
    ),
    replaceAfter: optional(
      duration({
        description: 'How long a member that does not answer is waited for before it is replaced. Default 2m.',
      }),
    ),
  },
  { description: 'How the pods of the members look.', preserveUnknownFields: true },
);

/** The spec of an EtcdCluster; also inline in an EtcdRestore whose cluster is gone. */
export const clusterSpec = object(
  {
    size: int32({ description: 'Number of members, 1 to 7; odd sizes make sense.' }),
    repository: optional(
      string({ description: 'Image without its tag. Default quay.io/coreos/etcd.', maxLength: 512 }),
    ),
    version: optional(
      string({
        description: 'Version of etcd, with or without a leading v. The image is <repository>:v<version>.',
        maxLength: 64,
      }),
    ),
    paused: optional(bool({ description: 'While true nothing is changed, not even healed.' })),
    pod: optional(nullable(podPolicy)),
    TLS: optional(nullable(tls)),
    podDisruptionBudget: optional(
      bool({ description: 'Keeps voluntary evictions from taking a quorum. Default true.' }),
    ),
    service: optional(
      object(
        { annotations: optional(map(string())) },
        { description: 'The client Service.', preserveUnknownFields: true },
      ),
    ),
    auth: optional(
      object({
        secret: string({
          description: 'Secret with username and password for a cluster whose authentication is enabled.',
          maxLength: 253,
        }),
      }),
    ),
  },
  {
    preserveUnknownFields: true,
    rules: [
      cel('self.size >= 1 && self.size <= 7', 'size must be between 1 and 7', { fieldPath: '.size' }),
      cel(
        "!has(self.version) || self.version.matches('^v*[0-9]+\\\\.[0-9]+\\\\.[0-9]+([-+][0-9A-Za-z.-]+)?$')",
        'version must look like 3.6.16',
        { fieldPath: '.version' },
      ),
    ],
  },
);

const memberDetail = object({
  name: string({ description: 'Name of the member and of its pod.' }),
  id: optional(string({ description: 'Member ID as etcd prints it, in hexadecimal.' })),
  role: optional(enumeration(['Leader', 'Follower', 'Learner', 'Unknown'])),
  version: optional(string()),
  revision: optional(int64()),
  databaseSize: optional(int64({ description: 'In bytes.' })),
  healthy: bool(),
  reason: optional(string({ description: 'Why it is not healthy, or what it waits for.' })),
});

const status = object(
  {
    phase: optional(string({ description: 'Creating, Running or Failed.' })),
    reason: optional(string()),
    observedGeneration: optional(int64()),
    controlPaused: optional(bool()),
    conditions: optional(nullable(conditionList)),
    size: optional(int32({ description: 'Members known to etcd.' })),
    readySize: optional(int32({ description: 'Healthy voters.' })),
    serviceName: optional(string()),
    clientPort: optional(int32()),
    selector: optional(string({ description: 'For the scale subresource.' })),
    members: optional(
      nullable(
        object(
          { ready: optional(nullable(list(string()))), unready: optional(nullable(list(string()))) },
          { preserveUnknownFields: true },
        ),
      ),
    ),
    memberDetails: optional(keyedList(memberDetail, ['name'])),
    currentVersion: optional(string()),
    targetVersion: optional(string()),
    clusterID: optional(
      string({
        description:
          "etcd's cluster ID in hexadecimal; once set, no other cluster is ever founded under this object without a restore.",
      }),
    ),
    incarnation: optional(int64({ description: 'Which life of the cluster this is; a restore raises it.' })),
    plan: optional(
      object({
        next: optional(
          list(string({ maxLength: 1024 }), { description: 'What the operator is about to do, in order.' }),
        ),
        waitingFor: optional(list(string({ maxLength: 1024 }), { description: 'What it waits for.' })),
      }),
    ),
    restore: optional(
      object(
        { name: string(), uid: string() },
        { description: 'The EtcdRestore that this operator has seen and stands back for.' },
      ),
    ),
    failedUpgrade: optional(object({ version: string(), generation: int64(), message: string() })),
  },
  { preserveUnknownFields: true },
);

/** `EtcdCluster` of `etcd.database.coreos.com/v1beta2`: every field of the original, under its exact name, and our additions. */
export const etcdClusters = defineKind({
  group,
  version: 'v1beta2',
  kind: 'EtcdCluster',
  plural: 'etcdclusters',
  singular: 'etcdcluster',
  shortNames: ['etcd'],
  scope: 'Namespaced',
  spec: clusterSpec,
  status,
  scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size', labelSelectorPath: '.status.selector' },
  columns: [
    { name: 'Size', type: 'integer', path: '.spec.size' },
    { name: 'Ready', type: 'integer', path: '.status.readySize' },
    { name: 'Version', type: 'string', path: '.status.currentVersion' },
    { name: 'Phase', type: 'string', path: '.status.phase' },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp' },
  ],
});

/** One cluster, as declared and as reported. */
export type EtcdCluster = KindOf<typeof etcdClusters>;
export type EtcdClusterSpec = NonNullable<EtcdCluster['spec']>;
export type EtcdClusterStatus = NonNullable<EtcdCluster['status']>;
export type PodPolicy = NonNullable<EtcdClusterSpec['pod']>;
