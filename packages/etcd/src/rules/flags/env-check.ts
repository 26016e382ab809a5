// SPDX-License-Identifier: Apache-2.0

import { type EtcdVersion, minorName } from '../versions/version.ts';
import { envOfFlag, flagLifetime, flagOfEnv, gateOf, hasFlag, newNameOf, oldNameOf } from './flags.ts';

/** One variable of a user's `etcdEnv`. The value is absent if it comes from a Secret or a ConfigMap. */
export interface EnvSetting {
  readonly name: string;
  readonly value?: string;
}

/**
 * The problem of a variable with a version of etcd.
 *
 * - `refuse`: the cluster must not get that version: etcd would not start, or would silently ignore the setting.
 * - `warn`: etcd starts and works as before, but the name is deprecated, or never had an effect.
 */
export interface EnvProblem {
  readonly name: string;
  readonly severity: 'refuse' | 'warn';
  /** What to set instead with that version; undefined if there is nothing. */
  readonly replacement: string | undefined;
  readonly reason: string;
}

/** Flags that the operator always sets. etcd exits if the environment sets one of them as well. */
const commandLineFlags = [
  'data-dir',
  'name',
  'initial-advertise-peer-urls',
  'listen-peer-urls',
  'listen-client-urls',
  'advertise-client-urls',
  'initial-cluster',
  'initial-cluster-state',
  'initial-cluster-token',
  'peer-client-cert-auth',
  'peer-trusted-ca-file',
  'peer-cert-file',
  'peer-key-file',
  'client-cert-auth',
  'trusted-ca-file',
  'cert-file',
  'key-file',
];

/** More flags that users may not set, because they affect identity, quorum and probes. */
const reservedFlags = [
  'listen-metrics-urls',
  'config-file',
  'force-new-cluster',
  'strict-reconfig-check',
  'max-learners',
  'wal-dir',
  'discovery',
  'discovery-srv',
  'discovery-endpoints',
  'proxy',
];

const reserved: ReadonlySet<string> = new Set([...commandLineFlags, ...reservedFlags].map(envOfFlag));

/**
 * True for variables that users may not set, in any version (operator rule 11): the operator sets them itself, etcd
 * would refuse them beside our command line, or the operator could no longer manage the member.
 */
export function isReservedEnv(name: string): boolean {
  return reserved.has(name) || name.startsWith('ETCD_INITIAL_');
}

/**
 * Allowed variables that are not etcd's own: variables of the Go runtime and of gRPC with which users tune etcd. Any
 * other variable could replace the program (`LD_PRELOAD`), or a variable of the operator's command line (`BOOT_STATE`).
 */
export const tuningEnv: readonly string[] = [
  'GODEBUG',
  'GOGC',
  'GOMAXPROCS',
  'GOMEMLIMIT',
  'GOTRACEBACK',
  'GRPC_GO_LOG_SEVERITY_LEVEL',
  'GRPC_GO_LOG_VERBOSITY_LEVEL',
  'TZ',
];

/** True for the variables of etcd and those in `tuningEnv`. */
export function isEnvOfEtcd(name: string): boolean {
  return name.startsWith('ETCD_') || tuningEnv.includes(name);
}

/**
 * Checks a user's variables for a version. An empty result means that the version supports all of them. Names without
 * the prefix `ETCD_` are not checked here.
 */
export function checkEnv(env: readonly EnvSetting[], version: EtcdVersion): readonly EnvProblem[] {
  return env.flatMap((setting) => {
    const problem = checkSetting(setting, env, version);
    return problem ? [problem] : [];
  });
}

function checkSetting(setting: EnvSetting, env: readonly EnvSetting[], version: EtcdVersion): EnvProblem | undefined {
  const { name } = setting;
  const flag = flagOfEnv(name);
  if (flag === undefined) return undefined;
  if (isReservedEnv(name)) {
    return {
      name,
      severity: 'refuse',
      replacement: undefined,
      reason: `${name} is set by the operator and cannot be changed`,
    };
  }
  if (hasFlag(flag, version)) return deprecated(name, flag, env, version);
  return missing(setting, flag, version);
}

/**
 * The problem of a variable that the version supports; undefined unless it is an old, experimental name. From 3.6 on,
 * etcd refuses an old name if the new name is set, too.
 */
function deprecated(
  name: string,
  flag: string,
  env: readonly EnvSetting[],
  version: EtcdVersion,
): EnvProblem | undefined {
  const replacement = spelling(flag, version);
  if (replacement === undefined || replacement === name || !flag.startsWith('experimental-')) return undefined;
  const rival = env.find((other) => other.name === replacement.split('=')[0]);
  const gate = gateOf(flag);
  const clashes = rival !== undefined && (gate === undefined || (rival.value ?? gate).includes(gate));
  const etcd = `etcd ${minorName(version)}`;
  return clashes
    ? {
        name,
        severity: 'refuse',
        replacement,
        reason: `${etcd} does not start if both ${name} and ${replacement} are set; remove one of them`,
      }
    : {
        name,
        severity: 'warn',
        replacement,
        reason: `${etcd} still accepts ${name}, but the next minor does not: use ${replacement}`,
      };
}

/** The problem of a variable that the version does not support: etcd would start and ignore it. */
function missing(setting: EnvSetting, flag: string, version: EtcdVersion): EnvProblem {
  const { name } = setting;
  const etcd = `etcd ${minorName(version)}`;
  if (flagLifetime(flag) === undefined) {
    return {
      name,
      severity: 'warn',
      replacement: undefined,
      reason: `${name} is not an option of etcd and is ignored`,
    };
  }
  const replacement = spelling(flag, version);
  const advice = replacement === undefined ? 'remove it' : `use ${replacement}`;
  return { name, severity: 'refuse', replacement, reason: `${etcd} ignores ${name} without an error: ${advice}` };
}

/** A version's name of `flag`; undefined if it has none. */
function spelling(flag: string, version: EtcdVersion): string | undefined {
  const gate = gateOf(flag);
  if (gate !== undefined && hasFlag('feature-gates', version)) return `ETCD_FEATURE_GATES=${gate}=true`;
  const candidates = [newNameOf(flag), oldNameOf(flag)];
  const known = candidates.find((candidate) => candidate !== undefined && hasFlag(candidate, version));
  return known === undefined ? undefined : envOfFlag(known);
}
