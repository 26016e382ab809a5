// SPDX-License-Identifier: Apache-2.0
import {
  checkEnv,
  defaultVersion,
  type EtcdVersion,
  formatVersion,
  isReservedEnv,
  parseVersion,
} from '@etcd-operator/etcd';
import { parseQuantity, wholeValue } from '@etcd-operator/kube';
import type { EtcdClusterSpec } from '../api/etcd-cluster.ts';
import { longestClusterName } from './plan/member-naming.ts';

/** A valid spec with its defaults filled in; the spec itself is never changed. */
export interface Desired {
  readonly size: number;
  /** Without a leading `v`. */
  readonly version: string;
  readonly repository: string;
  /** `<repository>:v<version>` */
  readonly image: string;
  readonly storage: 'claim' | 'emptyDir' | 'memory';
  readonly peerTLS: boolean;
  readonly clientTLS: boolean;
  /** Suffix behind `.svc`, with its leading dot; may be empty. */
  readonly clusterDomain: string;
  readonly podDisruptionBudget: boolean;
  /** What happens to pods that can be brought up to date only by replacing them, without a volume. */
  readonly updatePolicy: 'OnNextPod' | 'Replace';
  /** How long a member on a lost node, or one that does not answer, is waited for before it is replaced, in ms. */
  readonly replaceAfter: number;
  /** Options of the user that etcd of this version would refuse or ignore; they hold back a change of version. */
  readonly optionProblems: readonly string[];
}

/** The repository of the original operator. */
const defaultRepository = 'quay.io/coreos/etcd';
const defaultReplaceAfter = 120_000;

/**
 * Reads a spec. Everything that the schema lets through gives either a `Desired` or sentences that say what is wrong; nothing
 * throws. Objects stored before there was a schema come here too.
 */
export function desiredOf(name: string, spec: EtcdClusterSpec): Desired | { readonly problems: readonly string[] } {
  const problems = findProblems(name, spec);
  if (problems.length > 0) return { problems };
  const pod = spec.pod ?? {};
  const version = (spec.version ?? '').replace(/^v+/, '') || formatVersion(defaultVersion);
  const repository = spec.repository || defaultRepository;
  const member = spec.TLS?.static?.member;
  const parsed = parseVersion(version);
  return {
    size: spec.size,
    version,
    repository,
    image: `${repository}:v${version}`,
    storage: pod.persistentVolumeClaimSpec ? 'claim' : pod.tmpfs ? 'memory' : 'emptyDir',
    peerTLS: Boolean(member?.peerSecret),
    clientTLS: Boolean(spec.TLS?.static?.operatorSecret),
    clusterDomain: pod.ClusterDomain ?? '',
    podDisruptionBudget: spec.podDisruptionBudget ?? true,
    updatePolicy: pod.updatePolicy ?? 'OnNextPod',
    replaceAfter: parseDuration(pod.replaceAfter) ?? defaultReplaceAfter,
    optionProblems: parsed ? refusedOptions(spec, parsed) : [],
  };
}

function refusedOptions(spec: EtcdClusterSpec, version: EtcdVersion): readonly string[] {
  return checkEnv(spec.pod?.etcdEnv ?? [], version)
    .filter((problem) => problem.severity === 'refuse')
    .map((problem) => problem.reason);
}

function findProblems(name: string, spec: EtcdClusterSpec): readonly string[] {
  const problems: string[] = [];
  if (name.length > longestClusterName) {
    problems.push(
      `the name has ${name.length} characters; names of members must fit a DNS label, so ${longestClusterName} is the limit`,
    );
  }
  if (!Number.isInteger(spec.size) || spec.size < 1 || spec.size > 7)
    problems.push(`spec.size is ${spec.size}; it must be between 1 and 7`);
  const version = (spec.version ?? '').replace(/^v+/, '');
  if (version !== '' && !parseVersion(version))
    problems.push(`spec.version "${spec.version}" is not a version; write it like 3.6.16`);
  problems.push(...labelProblems(spec), ...tlsProblems(spec), ...envProblems(spec), ...memoryProblems(spec));
  const after = spec.pod?.replaceAfter;
  if (after !== undefined && parseDuration(after) === undefined)
    problems.push(`spec.pod.replaceAfter "${after}" is not a duration; write it like 90s or 5m`);
  return problems;
}

function labelProblems(spec: EtcdClusterSpec): readonly string[] {
  return Object.keys(spec.pod?.labels ?? {})
    .filter((key) => key === 'app' || key.startsWith('etcd_'))
    .map((key) => `spec.pod.labels has "${key}"; app and etcd_* are the operator's own`);
}

function envProblems(spec: EtcdClusterSpec): readonly string[] {
  return (spec.pod?.etcdEnv ?? [])
    .filter((variable) => isReservedEnv(variable.name))
    .map((variable) => `spec.pod.etcdEnv sets ${variable.name}, which the operator sets itself`);
}

const gibibyte = 2n ** 30n;
/** What etcd allows its database if it is not told otherwise. */
const defaultQuota = 2n * gibibyte;

/**
 * Data in memory counts against the memory limit, beside etcd itself: database, log and heap must fit, or the member is
 * killed for it (operator rule 26). Without a limit there is nothing to exceed.
 */
function memoryProblems({ pod }: EtcdClusterSpec): readonly string[] {
  if (!pod?.tmpfs || pod.persistentVolumeClaimSpec) return [];
  const limit = bytesOf(pod.resources?.limits?.['memory']);
  const quotaText = pod.etcdEnv?.find((variable) => variable.name === 'ETCD_QUOTA_BACKEND_BYTES')?.value;
  const quota = quotaText && /^\d+$/.test(quotaText) ? BigInt(quotaText) : defaultQuota;
  const needed = 2n * (quota > 0n ? quota : defaultQuota) + gibibyte;
  if (limit === undefined || limit >= needed) return [];
  return [
    `spec.pod.tmpfs keeps the data in memory, so that limits.memory must be at least twice the quota of the database plus 1 GiB, ` +
      `${needed} bytes; it is ${limit}`,
  ];
}

function bytesOf(quantity: string | number | undefined): bigint | undefined {
  if (quantity === undefined) return undefined;
  try {
    return wholeValue(parseQuantity(quantity));
  } catch {
    return undefined;
  }
}

function tlsProblems(spec: EtcdClusterSpec): readonly string[] {
  const { member, operatorSecret } = spec.TLS?.static ?? {};
  if (operatorSecret && !member?.serverSecret) return ['operator secret set but member serverSecret not set'];
  if (member?.serverSecret && !operatorSecret) return ['member serverSecret set but operator secret not set'];
  return [];
}

const unitMilliseconds: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `90s`, `1h30m`. */
export function parseDuration(text: string | undefined): number | undefined {
  if (!text || !/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    total += Number(amount) * (unitMilliseconds[unit ?? ''] ?? 0);
  }
  return total;
}
