// SPDX-License-Identifier: Apache-2.0
import { parseCron } from '@operator-parts/ports';
import { type EtcdBackup, type EtcdBackupSpec, etcdBackups } from '../../api/etcd-backup.ts';
import type { BackupReason } from '../../api/reasons.ts';
import { specTypeErrors } from '../../api/type-errors.ts';
import { segmentKey } from '../../changes/segment-names.ts';
import { counted } from '../../counted.ts';
import { durationOf } from '../../spec-values.ts';
import { manifestPath } from '../../storage/manifest.ts';
import { StorageError } from '../../storage/storage-error.ts';
import { type StoragePlace, storagePlace } from '../../storage/storage-place.ts';
import { periodicKey } from '../plan/backup-names.ts';
import { isTimeZone, type KeepRules, keepAll, keepsAll } from '../plan/keep-rules.ts';
import type { ProofSchedule } from '../plan/proof-plan.ts';
import type { Schedule } from '../plan/schedule.ts';
import { type EtcdEndpoint, parseEndpoint } from './etcd-endpoint.ts';

/** What a spec asks for, validated and with all defaults. */
export interface BackupOrder {
  /** Empty if the spec names a cluster. */
  readonly endpoints: readonly EtcdEndpoint[];
  /** The EtcdCluster of the same namespace whose members are the endpoints; undefined if the spec lists endpoints. */
  readonly cluster: string | undefined;
  readonly place: StoragePlace;
  readonly schedule: Schedule;
  readonly timeoutMs: number;
  /** Which backups of a series to keep. */
  readonly keep: KeepRules;
  /** When stored backups are proven (restored as a test); undefined if never. */
  readonly prove: ProofSchedule | undefined;
  /** True if changes between backups are recorded. */
  readonly continuous: boolean;
  readonly deleteStored: boolean;
  /** How long the object of a completed single backup is kept; undefined: forever. */
  readonly ttlSeconds: number | undefined;
  /** True if the spec asks for encryption. Then an unencrypted backup does not count. */
  readonly isEncrypted: boolean;
}

/** Why no operator can carry out a spec. Only a change of the spec helps. */
export interface OrderProblem {
  /** Reason of the condition. */
  readonly reason: BackupReason;
  readonly message: string;
}

export type OrderResult = { readonly order: BackupOrder } | { readonly problem: OrderProblem };

const defaultTimeoutSeconds = 60;
/** Timers cannot wait longer. */
const longestTimeoutSeconds = 7 * 24 * 3600;

/** Reads a spec. Never throws: objects of the CoreOS etcd-operator were not validated. */
export function orderOf({ metadata, spec }: EtcdBackup): OrderResult {
  // Missing fields are not reported here: the checks below report them with their own reasons.
  const typeErrors = specTypeErrors(etcdBackups, spec, 'passed over');
  if (typeErrors.length > 0) return invalid('SpecInvalid', typeErrors.join('; '));
  const place = placeOf(spec, metadata?.namespace ?? '');
  if ('problem' in place) return place;
  const endpoints = endpointsOf(spec);
  if ('problem' in endpoints) return endpoints;
  const schedule = scheduleOf(spec);
  if ('problem' in schedule) return schedule;
  const tooLong = lengthProblem(place.place, schedule.schedule, spec.continuous !== undefined);
  if (tooLong) return tooLong;
  const keep = keepOf(spec);
  if ('problem' in keep) return keep;
  const prove = proveOf(spec);
  if ('problem' in prove) return prove;
  if (spec.continuous && schedule.schedule.kind === 'once')
    return invalid('InvalidPolicy', 'spec.continuous needs spec.backupPolicy with an interval or a schedule');
  const { timeoutInSecond } = spec.backupPolicy ?? {};
  const seconds = timeoutInSecond && timeoutInSecond > 0 ? timeoutInSecond : defaultTimeoutSeconds;
  const order = {
    ...place,
    ...endpoints,
    ...schedule,
    timeoutMs: Math.min(seconds, longestTimeoutSeconds) * 1000,
    ...keep,
    ...prove,
    continuous: spec.continuous !== undefined,
    deleteStored: spec.deletionPolicy === 'Delete',
    ttlSeconds: spec.ttlSecondsAfterFinished,
    isEncrypted: Boolean(spec.encryption),
  };
  return { order };
}

function placeOf(spec: EtcdBackupSpec, namespace: string) {
  try {
    return { place: storagePlace(String(spec.storageType ?? ''), spec, namespace) };
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return invalid(error.code, error.message);
  }
}

/** The longest key of object stores, and the longest file name of file systems, in bytes. */
const longestKey = 1024;
const longestName = 255;

/** Checks the length of every name that is derived from the path. Otherwise the failure would appear only after the upload. */
function lengthProblem({ type, key, path }: StoragePlace, { kind }: Schedule, isContinuous: boolean) {
  const latest = kind === 'once' ? key : periodicKey(key, 2n ** 63n - 1n, 0);
  const longest = manifestPath(latest);
  const segment = segmentKey(key, { clusterId: '0', from: 1n, to: 1n, lastAt: 0 });
  const bytes = Math.max(Buffer.byteLength(longest), isContinuous ? Buffer.byteLength(segment) : 0);
  const name = Math.max(...longest.split('/').map((part) => Buffer.byteLength(part)));
  const over = Math.max(bytes - longestKey, type === 'Directory' ? name - longestName : 0);
  if (over <= 0) return undefined;
  const shown = `${path.slice(0, 60)}...`;
  return invalid(
    'InvalidPath',
    `the path ${shown} is ${counted(over, 'byte')} too long, because the names of backups are appended to it. Use a shorter path`,
  );
}

function endpointsOf({ etcdEndpoints, clusterRef, clientTLSSecret, auth }: EtcdBackupSpec) {
  const texts = etcdEndpoints ?? [];
  if (clusterRef?.name) {
    if (texts.length === 0 && !clientTLSSecret && !auth?.secret) return { endpoints: [], cluster: clusterRef.name };
    const message = 'spec.clusterRef cannot be set together with spec.etcdEndpoints, spec.clientTLSSecret or spec.auth';
    return invalid('InvalidEndpoint', message);
  }
  if (texts.length === 0) return invalid('NoEndpoints', 'spec.etcdEndpoints should not be empty');
  const endpoints: EtcdEndpoint[] = [];
  for (const text of texts) {
    const endpoint = parseEndpoint(text);
    if (!endpoint) {
      const shown = JSON.stringify(text.slice(0, 200));
      return invalid('InvalidEndpoint', `${shown} in spec.etcdEndpoints is not a URL such as http://example:2379`);
    }
    endpoints.push(endpoint);
  }
  return { endpoints, cluster: undefined };
}

function scheduleOf({ backupPolicy }: EtcdBackupSpec) {
  const { backupIntervalInSecond: seconds = 0, schedule: text, timeZone } = backupPolicy ?? {};
  if (seconds < 0) return invalid('InvalidPolicy', 'spec.backupPolicy.backupIntervalInSecond must not be negative');
  if (!text) {
    const schedule: Schedule = seconds > 0 ? { kind: 'interval', milliseconds: seconds * 1000 } : { kind: 'once' };
    return { schedule };
  }
  if (seconds > 0)
    return invalid('InvalidPolicy', 'spec.backupPolicy.schedule and backupIntervalInSecond cannot be set together');
  const cron = parseCron(text, timeZone || 'UTC', 'once');
  if (!cron) {
    const shown = JSON.stringify(text.slice(0, 128));
    return invalid(
      'InvalidPolicy',
      `spec.backupPolicy.schedule ${shown} is not a valid cron expression, or spec.backupPolicy.timeZone is unknown`,
    );
  }
  const schedule: Schedule = { kind: 'cron', cron };
  return { schedule };
}

/** `maxBackups` is the older name of `keep.last`. */
function keepOf({ backupPolicy }: EtcdBackupSpec) {
  const { maxBackups = 0, keep, timeZone } = backupPolicy ?? {};
  if (maxBackups < 0) return invalid('InvalidPolicy', 'spec.backupPolicy.maxBackups must not be negative');
  if (!keep) return { keep: { ...keepAll, last: maxBackups } };
  if (maxBackups > 0)
    return invalid(
      'InvalidPolicy',
      'spec.backupPolicy.maxBackups and spec.backupPolicy.keep cannot be set together. Remove spec.backupPolicy.maxBackups, and set spec.backupPolicy.keep.last instead',
    );
  const { last = 0, hourly = 0, daily = 0, weekly = 0, monthly = 0, within } = keep;
  const counts = { last, hourly, daily, weekly, monthly };
  const withinMs = within === undefined ? 0 : durationOf(within);
  if (withinMs === undefined || Object.values(counts).some((count) => !Number.isInteger(count) || count < 0))
    return invalid(
      'InvalidPolicy',
      'the numbers in spec.backupPolicy.keep must not be negative, and spec.backupPolicy.keep.within must be a duration such as 72h',
    );
  const rules: KeepRules = { ...counts, withinMs, timeZone: timeZone || 'UTC' };
  // A policy that keeps nothing is probably a mistake, so it is invalid and deletes nothing.
  if (keepsAll(rules))
    return invalid('InvalidPolicy', 'spec.backupPolicy.keep needs at least one rule that is greater than 0');
  if (!isTimeZone(rules.timeZone))
    return invalid('InvalidPolicy', `spec.backupPolicy.timeZone ${JSON.stringify(timeZone)} is unknown`);
  return { keep: rules };
}

function proveOf({ prove, backupPolicy }: EtcdBackupSpec) {
  if (!prove) return { prove: undefined };
  const { schedule: text, everyNth } = prove;
  if ((text === undefined) === (everyNth === undefined))
    return invalid('InvalidPolicy', 'spec.prove must have exactly one of the fields `schedule` and `everyNth`');
  if (everyNth !== undefined) {
    if (everyNth < 1) return invalid('InvalidPolicy', 'spec.prove.everyNth must be at least 1');
    const nth: ProofSchedule = { kind: 'everyNth', count: everyNth };
    return { prove: nth };
  }
  const cron = parseCron(text ?? '', backupPolicy?.timeZone || 'UTC', 'once');
  if (!cron) {
    const shown = JSON.stringify((text ?? '').slice(0, 128));
    const message = `spec.prove.schedule ${shown} is not a valid cron expression, or spec.backupPolicy.timeZone is unknown`;
    return invalid('InvalidPolicy', message);
  }
  const schedule: ProofSchedule = { kind: 'cron', cron };
  return { prove: schedule };
}

function invalid(reason: BackupReason, message: string): { readonly problem: OrderProblem } {
  return { problem: { reason, message } };
}
