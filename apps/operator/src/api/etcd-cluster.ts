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
      'Name of the Secret with peer.crt, peer.key and peer-ca.crt (or tls.crt, tls.key, ca.crt). If set, members use TLS between each other.',
    ),
    serverSecret: secretName(
      'Name of the Secret with the certificate of the members for their client port: server.crt, server.key and server-ca.crt (or tls.crt, tls.key, ca.crt). Members verify client certificates with server-ca.crt, so operatorSecret is required.',
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
            'Name of the Secret with etcd-client.crt, etcd-client.key and etcd-client-ca.crt (or tls.crt, tls.key, ca.crt). If set, clients must use TLS, and the operator connects to etcd with this certificate. Requires member.serverSecret.',
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
  'keys that begin with etcd.database.coreos.com/ are reserved for the operator and cannot be set',
);

const podPolicy = object(
  {
    labels: optional(
      map(string({ maxLength: 63 }), {
        description:
          'Labels that are added to the pods of members. The keys app and etcd_* are reserved for the operator.',
        maxProperties: 64,
        rules: [
          cel(
            "self.all(key, key != 'app' && !key.startsWith('etcd_'))",
            'labels app and etcd_* are reserved for the operator and cannot be set',
          ),
          notOperatorKeys,
        ],
      }),
    ),
    annotations: optional(
      map(string({ maxLength: most.value }), {
        description:
          'Annotations that are added to the pods of members. The keys etcd.version and etcd.database.coreos.com/* are reserved for the operator.',
        maxProperties: 64,
        rules: [
          cel("!('etcd.version' in self)", 'annotation etcd.version is reserved for the operator and cannot be set'),
          notOperatorKeys,
        ],
      }),
    ),
    nodeSelector: optional(
      map(string({ maxLength: most.text }), {
        description: 'Pods of members run only on nodes that have all these labels.',
        maxProperties: most.entries,
      }),
    ),
    affinity: optional(builtIn('Affinity')),
    antiAffinity: optional(
      bool({ description: 'True: at most one pod of this cluster runs on a node.', deprecated: 'use affinity' }),
    ),
    resources: optional(builtIn('ResourceRequirements')),
    tolerations: optional(list(builtIn('Toleration'), { maxItems: most.items })),
    topologySpreadConstraints: optional(
      list(builtIn('TopologySpreadConstraint'), {
        description: 'Topology spread constraints: how the pods of members are distributed over zones and nodes.',
        maxItems: most.items,
      }),
    ),
    etcdEnv: optional(
      list(builtIn('EnvVar', { longest: { name: 256, value: most.value } }), {
        description: `Environment variables of etcd. Allowed names: ETCD_... and ${tuningEnv.join(', ')}. Other names, and variables that the operator sets, are refused. If an older EtcdCluster still has a refused variable, the variable is not passed to etcd, and no upgrade begins until the variable is removed.`,
        maxItems: 128,
        rules: [
          cel(
            `self.all(variable, variable.name.startsWith('ETCD_') || variable.name in [${tuningEnv.map((name) => `'${name}'`).join(', ')}])`,
            `names in etcdEnv must begin with ETCD_, or be one of ${tuningEnv.join(', ')}`,
          ),
        ],
      }),
    ),
    persistentVolumeClaimSpec: optional(builtIn('PersistentVolumeClaimSpec')),
    tmpfs: optional(
      bool({
        description:
          'True: the data of etcd is kept in memory (tmpfs). The data counts towards the memory limit of the container, and is lost when the pod is deleted or its node reboots.',
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
          'True (default): a joining member waits in init container check-dns until DNS resolves the names of the members.',
      }),
    ),
    securityContext: optional(builtIn('PodSecurityContext')),
    containerSecurityContext: optional(builtIn('SecurityContext')),
    DNSTimeoutInSecond: optional(
      int64({
        description: 'How long init container check-dns waits for DNS before it fails, in seconds. 0: no limit.',
        minimum: 0,
      }),
    ),
    ClusterDomain: optional(
      string({
        description:
          'Cluster domain with its leading dot, for example .cluster.local. The DNS names of members end in .svc followed by this domain. Default: no cluster domain, so that the DNS names end in .svc.',
        pattern: '^$|^\\.[a-z0-9.-]+$',
        maxLength: 128,
      }),
    ),
    priorityClassName: optional(string({ maxLength: most.text })),
    schedulerName: optional(
      string({
        description: 'Name of the scheduler for the pods of members. Default: the default scheduler of Kubernetes.',
        minLength: 1,
        maxLength: most.name,
      }),
    ),
    runtimeClassName: optional(
      string({
        description: 'Name of the RuntimeClass of the pods of members. The RuntimeClass must exist.',
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
          description: 'Additional entries in /etc/hosts of the pods of members. Names of members cannot be used.',
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
          'Name of the ServiceAccount of the pods of members. The token of the ServiceAccount is not mounted; to give the token to a sidecar, use a projected volume. The operator must allow this ServiceAccount (flag -allow-service-accounts).',
        pattern: '^[a-z0-9][-a-z0-9.]*$',
        maxLength: most.name,
      }),
    ),
    sidecars: optional(
      extraContainers({
        description:
          'Additional containers in the pods of members. They run with the security context of the etcd container. The operator must allow such containers in this namespace (flag -allow-sidecars).',
      }),
    ),
    initContainers: optional(
      extraContainers({
        description:
          'Additional init containers, which run to completion before etcd starts. The operator must allow such containers in this namespace (flag -allow-sidecars).',
      }),
    ),
    volumes: optional(
      extraVolumes({
        description: `Volumes for sidecars, initContainers and volumeMounts, each of one of these kinds: ${volumeKinds.join(', ')}. The operator must allow such volumes in this namespace (flag -allow-sidecars).`,
      }),
    ),
    volumeMounts: optional(
      extraMounts({ description: 'Where the etcd container mounts volumes of spec.pod.volumes.' }),
    ),
    updatePolicy: optional(
      enumeration(['OnNextPod', 'Replace'], {
        description:
          'What happens to pods without a PersistentVolumeClaim when a change of the spec requires new pods. OnNextPod: these pods are kept until another cause, such as a failure, replaces them. Replace: these pods are replaced one by one, and each new member receives the whole database.',
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
    description: 'Settings for the pods of members.',
    preserveUnknownFields: true,
    rules: [
      ...['securityContext', 'containerSecurityContext'].map((context) =>
        cel(
          `!has(self.${context}) || !has(self.${context}.windowsOptions) || !has(self.${context}.windowsOptions.hostProcess) || !self.${context}.windowsOptions.hostProcess`,
          `${context}.windowsOptions.hostProcess cannot be true, because pods of members do not share namespaces with their node`,
        ),
      ),
      cel(
        "!has(self.containerSecurityContext) || !has(self.containerSecurityContext.procMount) || self.containerSecurityContext.procMount != 'Unmasked'",
        'containerSecurityContext.procMount cannot be Unmasked, because pods of members do not have their own user namespace',
      ),
    ],
  },
);

/** The spec of an EtcdCluster. An EtcdRestore can contain such a spec, to create an EtcdCluster that no longer exists. */
export const clusterSpec = object(
  {
    size: int32({ description: 'Number of members, 1 to 7. An odd size is recommended.' }),
    repository: optional(
      string({
        description: 'Repository of the etcd image, without a tag. Default quay.io/coreos/etcd.',
        maxLength: 512,
      }),
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
          'Complete name of the etcd image, with a tag or a digest, instead of <repository>:v<version>. Set version to the etcd version that is in this image. The cluster is not upgraded to an image that contains another etcd version.',
        pattern: imagePattern,
        maxLength: 512,
      }),
    ),
    paused: optional(bool({ description: 'While true, reconciliation is suspended: nothing is changed or repaired.' })),
    pod: optional(nullable(podPolicy)),
    TLS: optional(nullable(tls)),
    podDisruptionBudget: optional(
      bool({
        description:
          'True (default): the operator creates a PodDisruptionBudget, so that voluntary disruptions such as node drains leave a quorum.',
      }),
    ),
    service: optional(clientServiceFields),
    recovery: optional(
      object(
        {
          quorumLoss: optional(
            enumeration(['Never', 'Manual', 'Automatic'], {
              description:
                'What happens if a majority of the members is permanently lost, but other members still have data. Manual (default): the operator waits. The status shows from which member the cluster can be recovered, which writes would be lost, and the command. Automatic: if every missing member is known to be permanently lost, the operator creates one EtcdRestore that recovers the cluster from the remaining members. Acknowledged writes that the remaining members have not received are lost. Never: recovery from a remaining member is refused; restore a backup instead.',
            }),
          ),
          after: optional(
            bounded(
              duration({
                description:
                  'With quorumLoss Automatic: how long the quorum must be lost before the operator recovers the cluster. At least 10s. A value above 1m is recommended, because Kubernetes needs about 40s to notice that a node has failed. Default 10m.',
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
          description: 'Name of the Secret with username and password. Required if authentication is enabled in etcd.',
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
      cel(
        '!has(self.image) || has(self.version)',
        'the field `image` requires the field `version`: set `version` to the etcd version that is in the image',
        {
          fieldPath: '.image',
        },
      ),
      cel(
        "!has(self.image) || !has(self.repository) || self.repository == ''",
        'the fields `image` and `repository` cannot be used together: remove one of them',
        { fieldPath: '.image' },
      ),
      cel(
        "!has(self.service) || !has(self.service.type) || self.service.type == 'ClusterIP' || (has(self.TLS) && has(self.TLS.static) && has(self.TLS.static.operatorSecret) && self.TLS.static.operatorSecret != '')",
        'service.type NodePort and LoadBalancer require TLS for clients: set TLS.static.member.serverSecret and TLS.static.operatorSecret',
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
        'Revision that the member last reported. The value is at most 15 s old while the member is healthy and the EtcdCluster is not paused; otherwise the value may be older.',
    }),
  ),
  databaseSize: optional(
    int64({
      description: 'Database size of the member in bytes. The member reported the size together with the revision.',
    }),
  ),
  node: optional(statusText('Node on which the pod of the member runs or last ran.')),
  healthy: bool(),
  reason: optional(statusText('Why the member is not healthy, or what the member is waiting for.')),
});

const status = object(
  {
    phase: optional(statusText('Creating, Running or Failed.')),
    reason: optional(statusText()),
    observedGeneration: optional(
      int64({
        description:
          'The metadata.generation of this object that an operator has last processed or refused. -1: no operator has processed this object yet.',
      }),
    ),
    controlPaused: optional(bool()),
    conditions: optional(nullable(conditionList)),
    size: optional(int32({ description: 'Number of members that etcd lists.' })),
    readySize: optional(
      int32({
        description:
          'Number of voters that are healthy and have a Ready pod. Their pods are the endpoints of the client Service.',
      }),
    ),
    serviceName: optional(statusText()),
    clientPort: optional(int32()),
    selector: optional(statusText('Label selector of the pods of members, for the scale subresource.')),
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
        'Cluster ID of etcd, in hexadecimal. After the cluster ID is recorded, only a restore can create a new etcd cluster for this EtcdCluster.',
      ),
    ),
    incarnation: optional(
      int64({
        description:
          'Number of the cluster incarnation, starting at 1. Each restore creates a new incarnation with a higher number.',
      }),
    ),
    plan: optional(
      object({
        next: optional(
          list(string({ maxLength: 1024 }), {
            description: 'The next steps of the operator, in order.',
            ...statusItems,
          }),
        ),
        waitingFor: optional(
          list(string({ maxLength: 1024 }), {
            description: 'What the operator is waiting for before it continues.',
            ...statusItems,
          }),
        ),
      }),
    ),
    restore: optional(
      object(
        { name: statusText(), uid: statusText() },
        {
          description:
            'The EtcdRestore that is in progress for this cluster. Reconciliation is suspended until the EtcdRestore finishes.',
        },
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
