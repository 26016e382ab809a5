// SPDX-License-Identifier: Apache-2.0
import {
  checkEnv,
  defaultVersion,
  type EtcdVersion,
  formatVersion,
  isEnvOfEtcd,
  isReservedEnv,
  parseVersion,
  tuningEnv,
} from '@operator-parts/etcd';
import { isPinnedImage, repositoryOf } from '../api/cluster-spec/image-reference.ts';
import type { EtcdClusterSpec } from '../api/etcd-cluster.ts';
import { longestClusterName } from '../identity/member-naming.ts';
import { bytesOf, durationOf } from '../spec-values.ts';
import { extrasProblems } from './extras-problems.ts';

/** A valid spec with its defaults filled in. The spec itself is never changed. */
export interface Desired {
  readonly size: number;
  /** Without a leading `v`. */
  readonly version: string;
  readonly repository: string;
  /** `<repository>:v<version>`, or the image that the spec names. */
  readonly image: string;
  readonly storage: 'claim' | 'emptyDir' | 'memory';
  readonly peerTLS: boolean;
  readonly clientTLS: boolean;
  /** The suffix after `.svc`, with its leading dot; may be empty. */
  readonly clusterDomain: string;
  readonly podDisruptionBudget: boolean;
  /** Whether pods without a volume are replaced when only a replacement can bring them up to date. */
  readonly updatePolicy: 'OnNextPod' | 'Replace';
  /** How long a member may be unreachable before it is replaced, in ms. */
  readonly replaceAfter: number;
  /** What happens to a cluster that has lost its quorum permanently while members with data are left. */
  readonly quorumLoss: 'Never' | 'Manual' | 'Automatic';
  /** How long the quorum must be lost before automatic recovery starts, in ms. */
  readonly recoverAfter: number;
  /** Options in the spec that etcd of this version would refuse or ignore. The version of members is not changed while there are any. */
  readonly optionProblems: readonly string[];
}

/** The image repository that CoreOS etcd-operator uses. */
export const defaultRepository = 'quay.io/coreos/etcd';
const defaultReplaceAfter = 120_000;
const defaultRecoverAfter = 600_000;
const leastRecoverAfter = 10_000;

/**
 * Reads a spec. Every spec that the schema accepts results either in a `Desired` or in sentences that say what is wrong; nothing is thrown.
 * Objects that were stored before the schema existed are read here too.
 */
export function desiredOf(name: string, spec: EtcdClusterSpec): Desired | { readonly problems: readonly string[] } {
  const problems = findProblems(name, spec);
  if (problems.length > 0) return { problems };
  const pod = spec.pod ?? {};
  const version = (spec.version ?? '').replace(/^v+/, '') || formatVersion(defaultVersion);
  const repository = spec.image ? repositoryOf(spec.image) : spec.repository || defaultRepository;
  const member = spec.TLS?.static?.member;
  const parsed = parseVersion(version);
  return {
    size: spec.size,
    version,
    repository,
    image: spec.image || `${repository}:v${version}`,
    storage: pod.persistentVolumeClaimSpec ? 'claim' : pod.tmpfs ? 'memory' : 'emptyDir',
    peerTLS: Boolean(member?.peerSecret),
    clientTLS: Boolean(spec.TLS?.static?.operatorSecret),
    clusterDomain: pod.ClusterDomain ?? '',
    podDisruptionBudget: spec.podDisruptionBudget ?? true,
    updatePolicy: pod.updatePolicy ?? 'OnNextPod',
    replaceAfter: durationOf(pod.replaceAfter) ?? defaultReplaceAfter,
    ...recoveryOf(spec),
    optionProblems: parsed ? refusedOptions(spec, parsed) : [],
  };
}

function recoveryOf({ recovery }: EtcdClusterSpec): Pick<Desired, 'quorumLoss' | 'recoverAfter'> {
  return {
    quorumLoss: recovery?.quorumLoss ?? 'Manual',
    recoverAfter: durationOf(recovery?.after) ?? defaultRecoverAfter,
  };
}

function refusedOptions(spec: EtcdClusterSpec, version: EtcdVersion): readonly string[] {
  const env = spec.pod?.etcdEnv ?? [];
  const refused = checkEnv(env, version).filter((problem) => problem.severity === 'refuse');
  const foreign = env.filter(({ name }) => !isEnvOfEtcd(name));
  return [
    ...refused.map((problem) => problem.reason),
    ...foreign.map(
      ({ name }) =>
        `${name} is not passed to etcd: names in spec.pod.etcdEnv must begin with ETCD_, or be one of ${tuningEnv.join(', ')}`,
    ),
  ];
}

function findProblems(name: string, spec: EtcdClusterSpec): readonly string[] {
  const problems: string[] = [];
  if (name.length > longestClusterName) {
    problems.push(
      `metadata.name has ${name.length} characters; at most ${longestClusterName} are allowed, so that member names fit a DNS label`,
    );
  }
  if (!Number.isInteger(spec.size) || spec.size < 1 || spec.size > 7)
    problems.push(`spec.size is ${spec.size}; it must be between 1 and 7`);
  const version = (spec.version ?? '').replace(/^v+/, '');
  if (version !== '' && !parseVersion(version))
    problems.push(`spec.version "${spec.version}" is not a valid version; an example is 3.6.16`);
  problems.push(...imageProblems(spec), ...labelProblems(spec), ...tlsProblems(spec), ...envProblems(spec));
  problems.push(...memoryProblems(spec), ...serviceProblems(spec), ...aliasProblems(name, spec));
  problems.push(...extrasProblems(spec.pod ?? {}));
  problems.push(...durationProblems(spec));
  return problems;
}

function durationProblems({ pod, recovery }: EtcdClusterSpec): readonly string[] {
  const problems: string[] = [];
  const after = pod?.replaceAfter;
  if (after !== undefined && durationOf(after) === undefined)
    problems.push(`spec.pod.replaceAfter "${after}" is not a valid duration; examples are 90s and 5m`);
  const wait = recovery?.after;
  if (wait !== undefined && (durationOf(wait) ?? 0) < leastRecoverAfter)
    problems.push(`spec.recovery.after "${wait}" is not a valid duration of at least 10s; examples are 90s and 15m`);
  return problems;
}

function imageProblems({ image, version, repository }: EtcdClusterSpec): readonly string[] {
  if (!image) return [];
  return [
    ...(isPinnedImage(image) ? [] : ['spec.image is not a valid image with a tag or a digest']),
    ...(version ? [] : ['spec.image needs spec.version: the version of etcd that is in the image']),
    ...(repository ? ['spec.image and spec.repository cannot be used together'] : []),
  ];
}

/** Outside the Kubernetes cluster only client certificates protect etcd. */
function serviceProblems({ service, TLS }: EtcdClusterSpec): readonly string[] {
  const { type = 'ClusterIP' } = service ?? {};
  if (type === 'ClusterIP' || TLS?.static?.operatorSecret) return [];
  return [`spec.service.type is ${type}, which needs TLS for clients`];
}

/** A member that resolves its own name, or the name of another member, to a wrong address cannot work with its cluster. */
function aliasProblems(cluster: string, { pod }: EtcdClusterSpec): readonly string[] {
  const names = (pod?.hostAliases ?? []).flatMap(({ hostnames }) => hostnames);
  return names
    .filter((host) => {
      const [, service, , kind] = host.split('.');
      return service === cluster && kind === 'svc';
    })
    .map((host) => `spec.pod.hostAliases has ${host}; names of members cannot be used`);
}

function labelProblems(spec: EtcdClusterSpec): readonly string[] {
  return Object.keys(spec.pod?.labels ?? {})
    .filter((key) => key === 'app' || key.startsWith('etcd_'))
    .map((key) => `spec.pod.labels has "${key}"; app and etcd_* are reserved for the operator`);
}

function envProblems(spec: EtcdClusterSpec): readonly string[] {
  return (spec.pod?.etcdEnv ?? [])
    .filter((variable) => isReservedEnv(variable.name))
    .map((variable) => `spec.pod.etcdEnv sets ${variable.name}, which is reserved for the operator`);
}

const gibibyte = 2n ** 30n;
/** etcd's default for --quota-backend-bytes. */
const defaultQuota = 2n * gibibyte;

/**
 * Data in tmpfs counts towards the memory limit, in addition to the memory of etcd itself. Database, write-ahead log and heap must fit,
 * otherwise the member is OOMKilled (operator rule 26). Nothing to check without a limit.
 */
function memoryProblems({ pod }: EtcdClusterSpec): readonly string[] {
  if (!pod?.tmpfs || pod.persistentVolumeClaimSpec) return [];
  const limit = bytesOf(pod.resources?.limits?.['memory']);
  const quotaText = pod.etcdEnv?.find((variable) => variable.name === 'ETCD_QUOTA_BACKEND_BYTES')?.value;
  const quota = quotaText && /^\d+$/.test(quotaText) ? BigInt(quotaText) : defaultQuota;
  const needed = 2n * (quota > 0n ? quota : defaultQuota) + gibibyte;
  if (limit === undefined || limit >= needed) return [];
  return [
    `spec.pod.resources.limits.memory is ${limit} bytes; with spec.pod.tmpfs it must be at least ${needed}, ` +
      'twice the quota of the database plus 1 GiB',
  ];
}

function tlsProblems(spec: EtcdClusterSpec): readonly string[] {
  const { member, operatorSecret } = spec.TLS?.static ?? {};
  if (operatorSecret && !member?.serverSecret) return ['operator secret set but member serverSecret not set'];
  if (member?.serverSecret && !operatorSecret) return ['member serverSecret set but operator secret not set'];
  return [];
}
