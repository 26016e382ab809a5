// SPDX-License-Identifier: Apache-2.0
import type { EtcdVersion } from '../versions/version.ts';

/** The minor series of etcd 3 with a flag: from `since` on, up to, but not including, `removed`. */
export interface FlagLifetime {
  readonly since: number;
  readonly removed: number | undefined;
}

/** A feature gate of 3.6 and newer that was an experimental flag. */
export interface GatedFlag {
  readonly flag: string;
  readonly gate: string;
}

/** Flags by series. 3.3 is the oldest row: older versions are treated like 3.3. */
const lifetimes: readonly (FlagLifetime & { readonly flags: string })[] = [
  {
    since: 3,
    removed: undefined,
    flags: `advertise-client-urls auth-token auth-token-ttl auto-compaction-mode auto-compaction-retention auto-tls cert-file
      cipher-suites client-cert-auth client-crl-file config-file cors data-dir discovery-fallback discovery-srv
      election-timeout enable-pprof force-new-cluster grpc-keepalive-interval grpc-keepalive-min-time
      grpc-keepalive-timeout heartbeat-interval initial-advertise-peer-urls initial-cluster initial-cluster-state
      initial-cluster-token initial-election-tick-advance key-file listen-client-urls listen-metrics-urls
      listen-peer-urls max-request-bytes max-snapshots max-txn-ops max-wals metrics name peer-auto-tls
      peer-cert-allowed-cn peer-cert-file peer-client-cert-auth peer-crl-file peer-key-file peer-trusted-ca-file
      quota-backend-bytes snapshot-count strict-reconfig-check trusted-ca-file wal-dir`,
  },
  { since: 3, removed: 4, flags: 'ca-file peer-ca-file' },
  { since: 3, removed: 5, flags: 'debug log-output log-package-levels' },
  {
    since: 3,
    removed: 6,
    flags: `enable-v2 experimental-enable-v2v3 proxy proxy-dial-timeout proxy-failure-wait proxy-read-timeout
      proxy-refresh-interval proxy-write-timeout`,
  },
  {
    since: 3,
    removed: 7,
    flags: `discovery discovery-proxy experimental-corrupt-check-time experimental-initial-corrupt-check
      experimental-peer-skip-client-san-verification`,
  },
  {
    since: 4,
    removed: undefined,
    flags: `backend-batch-interval backend-batch-limit bcrypt-cost client-cert-allowed-hostname discovery-srv-name
      enable-grpc-gateway host-whitelist log-level log-outputs logger peer-cert-allowed-hostname pre-vote
      unsafe-no-fsync`,
  },
  { since: 4, removed: 5, flags: 'experimental-backend-bbolt-freelist-type' },
  {
    since: 4,
    removed: 7,
    flags: `experimental-compaction-batch-limit experimental-enable-lease-checkpoint
      experimental-watch-progress-notify-interval`,
  },
  {
    since: 5,
    removed: undefined,
    flags: `backend-bbolt-freelist-type client-cert-file client-key-file enable-log-rotation listen-client-http-urls
      log-rotation-config-json max-concurrent-streams peer-client-cert-file peer-client-key-file raft-read-timeout
      raft-write-timeout self-signed-cert-validity socket-reuse-address socket-reuse-port tls-max-version
      tls-min-version v2-deprecation`,
  },
  {
    since: 5,
    removed: 7,
    flags: `experimental-bootstrap-defrag-threshold-megabytes experimental-compact-hash-check-enabled
      experimental-compact-hash-check-time experimental-compaction-sleep-interval
      experimental-distributed-tracing-address experimental-distributed-tracing-instance-id
      experimental-distributed-tracing-sampling-rate experimental-distributed-tracing-service-name
      experimental-downgrade-check-time experimental-enable-distributed-tracing
      experimental-enable-lease-checkpoint-persist experimental-memory-mlock experimental-snapshot-catchup-entries
      experimental-stop-grpc-service-on-defrag experimental-txn-mode-write-with-shared-buffer
      experimental-warning-apply-duration`,
  },
  {
    since: 6,
    removed: undefined,
    flags: `bootstrap-defrag-threshold-megabytes compact-hash-check-time compaction-batch-limit
      compaction-sleep-interval corrupt-check-time discovery-cacert discovery-cert discovery-dial-timeout
      discovery-endpoints discovery-insecure-skip-tls-verify discovery-insecure-transport discovery-keepalive-time
      discovery-keepalive-timeout discovery-key discovery-password discovery-request-timeout discovery-token
      discovery-user distributed-tracing-address distributed-tracing-instance-id distributed-tracing-sampling-rate
      distributed-tracing-service-name downgrade-check-time enable-distributed-tracing feature-gates log-format
      max-learners memory-mlock peer-skip-client-san-verification snapshot-catchup-entries warning-apply-duration
      warning-unary-request-duration watch-progress-notify-interval`,
  },
  { since: 6, removed: 7, flags: 'experimental-warning-unary-request-duration' },
];

const byName: ReadonlyMap<string, FlagLifetime> = new Map(
  lifetimes.flatMap(({ flags, since, removed }) => flags.split(/\s+/).map((flag) => [flag, { since, removed }])),
);

/** Experimental flags that became feature gates in 3.6. The flags themselves were removed in 3.7. */
export const gatedFlags: readonly GatedFlag[] = [
  { flag: 'experimental-stop-grpc-service-on-defrag', gate: 'StopGRPCServiceOnDefrag' },
  { flag: 'experimental-initial-corrupt-check', gate: 'InitialCorruptCheck' },
  { flag: 'experimental-compact-hash-check-enabled', gate: 'CompactHashCheck' },
  { flag: 'experimental-txn-mode-write-with-shared-buffer', gate: 'TxnModeWriteWithSharedBuffer' },
  { flag: 'experimental-enable-lease-checkpoint', gate: 'LeaseCheckpoint' },
  { flag: 'experimental-enable-lease-checkpoint-persist', gate: 'LeaseCheckpointPersist' },
];

/** Flags that were renamed in other ways than by dropping `experimental-`. */
const otherRenames: ReadonlyMap<string, string> = new Map([
  ['debug', 'log-level'],
  ['log-output', 'log-outputs'],
  ['ca-file', 'trusted-ca-file'],
  ['peer-ca-file', 'peer-trusted-ca-file'],
  ['discovery', 'discovery-endpoints'],
]);

/** The versions with a flag, given without dashes; undefined if no known version has it. */
export function flagLifetime(flag: string): FlagLifetime | undefined {
  return byName.get(flag);
}

/** True if a version accepts the flag with exactly this name. */
export function hasFlag(flag: string, version: EtcdVersion): boolean {
  const lifetime = byName.get(flag);
  const minor = Math.max(3, version.minor);
  return (
    lifetime !== undefined && minor >= lifetime.since && (lifetime.removed === undefined || minor < lifetime.removed)
  );
}

/** Every flag that a version accepts, sorted. */
export function flagsOf(version: EtcdVersion): readonly string[] {
  return [...byName.keys()].filter((flag) => hasFlag(flag, version)).toSorted();
}

/** The new name of a renamed flag; undefined if it was not renamed. */
export function newNameOf(flag: string): string | undefined {
  const plain = flag.replace(/^experimental-/, '');
  if (plain !== flag && byName.has(plain)) return plain;
  return otherRenames.get(flag);
}

/** The former experimental name of a flag; undefined if it had none. */
export function oldNameOf(flag: string): string | undefined {
  const experimental = `experimental-${flag}`;
  return byName.has(experimental) ? experimental : undefined;
}

/** The feature gate of an experimental flag; undefined if it did not become one. */
export function gateOf(flag: string): string | undefined {
  return gatedFlags.find((entry) => entry.flag === flag)?.gate;
}

/** `ETCD_MAX_LEARNERS` of `max-learners`. */
export function envOfFlag(flag: string): string {
  return `ETCD_${flag.toUpperCase().replaceAll('-', '_')}`;
}

/** `max-learners` of `ETCD_MAX_LEARNERS`; undefined if the variable is not etcd's. */
export function flagOfEnv(name: string): string | undefined {
  return name.startsWith('ETCD_') ? name.slice('ETCD_'.length).toLowerCase().replaceAll('_', '-') : undefined;
}
