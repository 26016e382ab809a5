// SPDX-License-Identifier: Apache-2.0
import {
  bool,
  cel,
  defineKind,
  duration,
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
} from '@operator-parts/crd';
import { tuningEnv } from '@operator-parts/etcd';
import { bounded, builtIn, most, statusItems, statusText } from './bounds.ts';
import { clientServiceFields } from './cluster-spec/client-service.ts';
import { imagePattern } from './cluster-spec/image-reference.ts';
import { extraContainers, extraMounts, extraVolumes, volumeKinds } from './cluster-spec/member-extras.ts';
import { conditionList } from './condition-schema.ts';
import { group } from './names.ts';
import { unseenStatus } from './status/unseen-status.ts';

/** The name of a Secret has the limits of object names. */
const secretName = (description: string) => optional(string({ description, maxLength: most.name }));

const memberSecrets = object(
  {
    peerSecret: secretName(
      'Secret with peer.crt, peer.key and peer-ca.crt (or tls.crt, tls.key, ca.crt): turns on TLS between members.',
    ),
    serverSecret: secretName(
      'Secret with server.crt, server.key and server-ca.crt (or tls.crt, tls.key, ca.crt), for the client port of members.',
    ),
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

const notOperatorKeys = cel(
  "self.all(key, !key.startsWith('etcd.database.coreos.com/'))",
  'etcd.database.coreos.com/* is set by the operator and cannot be used',
);

const podPolicy = object(
  {
    labels: optional(
      map(string({ maxLength: 63 }), {
        description: 'Added to the pods. The keys app and etcd_* are reserved for the operator.',
        maxProperties: 64,
        rules: [
          cel(
            "self.all(key, key != 'app' && !key.startsWith('etcd_'))",
            'labels app and etcd_* are set by the operator and cannot be used',
          ),
          notOperatorKeys,
        ],
      }),
    ),
    annotations: optional(
      map(string({ maxLength: most.value }), {
        description: 'Added to the pods. etcd.version and etcd.database.coreos.com/* are reserved for the operator.',
        maxProperties: 64,
        rules: [
          cel("!('etcd.version' in self)", 'annotation etcd.version is set by the operator and cannot be used'),
          notOperatorKeys,
        ],
      }),
    ),
    nodeSelector: optional(
      map(string({ maxLength: most.text }), {
        description: 'Labels of the nodes that the pods may run on.',
        maxProperties: most.entries,
      }),
    ),
    affinity: optional(builtIn('Affinity')),
    antiAffinity: optional(bool({ description: 'At most one pod per node.', deprecated: 'use affinity' })),
    resources: optional(builtIn('ResourceRequirements')),
    tolerations: optional(list(builtIn('Toleration'), { maxItems: most.items })),
    topologySpreadConstraints: optional(
      list(builtIn('TopologySpreadConstraint'), {
        description: 'How pods spread over zones and nodes.',
        maxItems: most.items,
      }),
    ),
    etcdEnv: optional(
      list(builtIn('EnvVar', { longest: { name: 256, value: most.value } }), {
        description: `Environment variables of etcd: ETCD_... and ${tuningEnv.join(', ')}. Variables that the operator sets itself and any other name are refused. Where an older object has one, it is not passed to etcd, and no upgrade begins until it is removed.`,
        maxItems: 128,
        rules: [
          cel(
            `self.all(variable, variable.name.startsWith('ETCD_') || variable.name in [${tuningEnv.map((name) => `'${name}'`).join(', ')}])`,
            `etcdEnv takes ETCD_... and ${tuningEnv.join(', ')}`,
          ),
        ],
      }),
    ),
    persistentVolumeClaimSpec: optional(builtIn('PersistentVolumeClaimSpec')),
    tmpfs: optional(
      bool({
        description:
          'True keeps the data in memory. It counts against the memory limit, and is lost when the pod is deleted or its node reboots.',
      }),
    ),
    busyboxImage: optional(
      string({
        description: 'Image of the init container check-dns. Default busybox:1.28.0-glibc.',
        maxLength: most.text,
      }),
    ),
    checkDNS: optional(
      bool({
        description:
          'A joining member waits in an init container until DNS resolves the names of the members. Default true.',
      }),
    ),
    securityContext: optional(builtIn('PodSecurityContext')),
    containerSecurityContext: optional(builtIn('SecurityContext')),
    DNSTimeoutInSecond: optional(
      int64({
        description: 'How long the init container check-dns waits, in seconds; 0 means without limit.',
        minimum: 0,
      }),
    ),
    ClusterDomain: optional(
      string({
        description:
          'Cluster domain that follows .svc in the DNS names of members, with its leading dot, for example .cluster.local. Default: none, names end in .svc.',
        pattern: '^$|^\\.[a-z0-9.-]+$',
        maxLength: 128,
      }),
    ),
    priorityClassName: optional(string({ maxLength: most.text })),
    schedulerName: optional(
      string({
        description: 'Scheduler of the pods. Default: that of Kubernetes.',
        minLength: 1,
        maxLength: most.name,
      }),
    ),
    runtimeClassName: optional(
      string({
        description: 'RuntimeClass of the pods, which must exist.',
        pattern: '^[a-z0-9][-a-z0-9.]*$',
        maxLength: most.name,
      }),
    ),
    hostAliases: optional(
      list(
        object({
          ip: string({ pattern: '^[0-9A-Fa-f.:]+$', maxLength: 45 }),
          hostnames: list(string({ pattern: '^[a-z0-9][-a-z0-9.]*$', maxLength: most.name }), {
            maxItems: 64,
          }),
        }),
        {
          description: 'Further names in the hosts file of the pods. Names of members cannot be used.',
          maxItems: 64,
        },
      ),
    ),
    imagePullSecrets: optional(
      list(object({ name: optional(string({ maxLength: most.name })) }), { maxItems: most.items }),
    ),
    serviceAccountName: optional(
      string({
        description:
          'ServiceAccount of the pods. Its token is not mounted; a projected volume can give it to a sidecar. The operator must allow it (-allow-service-accounts).',
        pattern: '^[a-z0-9][-a-z0-9.]*$',
        maxLength: most.name,
      }),
    ),
    sidecars: optional(
      extraContainers({
        description:
          'Containers beside etcd. Their security context is that of etcd. The operator must allow them (-allow-sidecars).',
      }),
    ),
    initContainers: optional(
      extraContainers({
        description:
          'Containers that run to completion before etcd starts. The operator must allow them (-allow-sidecars).',
      }),
    ),
    volumes: optional(
      extraVolumes({
        description: `Volumes for sidecars, initContainers and volumeMounts: ${volumeKinds.join(', ')}. The operator must allow them (-allow-sidecars).`,
      }),
    ),
    volumeMounts: optional(
      extraMounts({ description: 'Where volumes of spec.pod.volumes are mounted in the etcd container.' }),
    ),
    updatePolicy: optional(
      enumeration(['OnNextPod', 'Replace'], {
        description:
          'When a change of the spec needs new pods: what to do with pods that have no PersistentVolumeClaim. OnNextPod keeps them until they are replaced for another reason. Replace replaces them one by one, which sends the whole database to each new member.',
      }),
    ),
    replaceAfter: optional(
      bounded(
        duration({
          description: 'How long a member may be unreachable before it is replaced. Default 2m.',
        }),
      ),
    ),
  },
  {
    description: 'Settings of the pods of the members.',
    preserveUnknownFields: true,
    rules: [
      ...['securityContext', 'containerSecurityContext'].map((context) =>
        cel(
          `!has(self.${context}) || !has(self.${context}.windowsOptions) || !has(self.${context}.windowsOptions.hostProcess) || !self.${context}.windowsOptions.hostProcess`,
          `${context}.windowsOptions.hostProcess cannot be used: members share no namespace with their node`,
        ),
      ),
      cel(
        "!has(self.containerSecurityContext) || !has(self.containerSecurityContext.procMount) || self.containerSecurityContext.procMount != 'Unmasked'",
        'containerSecurityContext.procMount Unmasked cannot be used: members have no user namespace of their own',
      ),
    ],
  },
);

/** The spec of an EtcdCluster. An EtcdRestore whose cluster is gone contains it inline. */
export const clusterSpec = object(
  {
    size: int32({ description: 'Number of members, 1 to 7. An odd size is recommended.' }),
    repository: optional(
      string({ description: 'Image without its tag. Default quay.io/coreos/etcd.', maxLength: 512 }),
    ),
    version: optional(
      string({
        description: 'Version of etcd, with or without a leading v. The image is <repository>:v<version>.',
        maxLength: 64,
      }),
    ),
    image: optional(
      string({
        description:
          'Complete image name with a tag or digest, used instead of <repository>:v<version>. version must then be the etcd version in the image; an image that contains another version is not used for upgrades.',
        pattern: imagePattern,
        maxLength: 512,
      }),
    ),
    paused: optional(bool({ description: 'While true, reconciliation is suspended: nothing is changed or repaired.' })),
    pod: optional(nullable(podPolicy)),
    TLS: optional(nullable(tls)),
    podDisruptionBudget: optional(
      bool({
        description: 'Creates a PodDisruptionBudget that keeps a quorum during voluntary disruptions. Default true.',
      }),
    ),
    service: optional(clientServiceFields),
    recovery: optional(
      object(
        {
          quorumLoss: optional(
            enumeration(['Never', 'Manual', 'Automatic'], {
              description:
                'What happens if a majority of the members is permanently lost while others have data. Manual (default): the status says what can be recovered, from which member, what would be lost, and the command. Automatic: if every missing member is known to be gone, the operator creates one EtcdRestore that recovers the cluster from the remaining members; acknowledged writes that they have not received are lost. Never: recovery from a member is refused; restore a backup.',
            }),
          ),
          after: optional(
            bounded(
              duration({
                description:
                  'With quorumLoss Automatic: how long there must have been no quorum before the cluster is recovered, at least 10s. Keep it above 1m: Kubernetes needs about 40s to notice that a node does not report. Default 10m.',
              }),
            ),
          ),
        },
        { description: 'Recovery of a cluster that has permanently lost its quorum.' },
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
      cel('!has(self.image) || has(self.version)', 'image needs version: the version of etcd that is in the image', {
        fieldPath: '.image',
      }),
      cel(
        "!has(self.image) || !has(self.repository) || self.repository == ''",
        'image and repository cannot be used together',
        { fieldPath: '.image' },
      ),
      cel(
        "!has(self.service) || !has(self.service.type) || self.service.type == 'ClusterIP' || (has(self.TLS) && has(self.TLS.static) && has(self.TLS.static.operatorSecret) && self.TLS.static.operatorSecret != '')",
        'service.type NodePort and LoadBalancer need TLS for clients: set TLS.static.member.serverSecret and TLS.static.operatorSecret',
        { fieldPath: '.service' },
      ),
    ],
  },
);

const memberDetail = object({
  name: statusText('Name of the member and of its pod.'),
  id: optional(statusText('Member ID as etcd prints it, in hexadecimal.')),
  role: optional(enumeration(['Leader', 'Follower', 'Learner', 'Unknown'])),
  version: optional(statusText()),
  revision: optional(
    int64({
      description:
        'Revision that the member last reported: at most 15 s old if the member is healthy and spec.paused is not true, otherwise possibly older.',
    }),
  ),
  databaseSize: optional(int64({ description: 'Database size in bytes, reported together with the revision.' })),
  node: optional(statusText('Node that runs the pod of the member, or ran that pod last.')),
  healthy: bool(),
  reason: optional(statusText('Why the member is not healthy, or what it is waiting for.')),
});

const status = object(
  {
    phase: optional(statusText('Creating, Running or Failed.')),
    reason: optional(statusText()),
    observedGeneration: optional(
      int64({
        description:
          'The metadata.generation that was acted upon or refused; -1 before an operator has seen the object.',
      }),
    ),
    controlPaused: optional(bool()),
    conditions: optional(nullable(conditionList)),
    size: optional(int32({ description: 'Members known to etcd.' })),
    readySize: optional(
      int32({ description: 'Voters that are healthy and whose pods are Ready: the endpoints of the client Service.' }),
    ),
    serviceName: optional(statusText()),
    clientPort: optional(int32()),
    selector: optional(statusText('Label selector of the pods, for the scale subresource.')),
    members: optional(
      nullable(
        object(
          {
            ready: optional(nullable(list(statusText(), statusItems))),
            unready: optional(nullable(list(statusText(), statusItems))),
          },
          { preserveUnknownFields: true },
        ),
      ),
    ),
    memberDetails: optional(keyedList(memberDetail, ['name'], statusItems)),
    currentVersion: optional(statusText()),
    targetVersion: optional(statusText()),
    clusterID: optional(
      statusText(
        "etcd's cluster ID in hexadecimal. Once it is recorded, only a restore creates another cluster for this object.",
      ),
    ),
    incarnation: optional(
      int64({ description: 'The cluster incarnation, starting at 1. Each restore increases it by at least 1.' }),
    ),
    plan: optional(
      object({
        next: optional(
          list(string({ maxLength: 1024 }), {
            description: 'Steps that the operator will do next, in order.',
            ...statusItems,
          }),
        ),
        waitingFor: optional(
          list(string({ maxLength: 1024 }), { description: 'What the operator is waiting for.', ...statusItems }),
        ),
      }),
    ),
    restore: optional(
      object(
        { name: statusText(), uid: statusText() },
        { description: 'The EtcdRestore in progress; reconciliation is suspended until it finishes.' },
      ),
    ),
    failedUpgrade: optional(object({ version: statusText(), generation: int64(), message: statusText() })),
  },
  { preserveUnknownFields: true, default: unseenStatus },
);

/** `EtcdCluster` of `etcd.database.coreos.com/v1beta2`: every field of CoreOS etcd-operator under its exact name, plus our own fields. */
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
    { name: 'Available', type: 'string', path: '.status.conditions[?(@.type=="Available")].status' },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp' },
  ],
});

/** One cluster: spec and status. */
export type EtcdCluster = KindOf<typeof etcdClusters>;
export type EtcdClusterSpec = NonNullable<EtcdCluster['spec']>;
export type EtcdClusterStatus = NonNullable<EtcdCluster['status']>;
export type PodPolicy = NonNullable<EtcdClusterSpec['pod']>;
