// SPDX-License-Identifier: Apache-2.0
import { parseCron } from '@etcd-operator/ports';
import type { EtcdBackup, EtcdBackupSpec } from '../api/etcd-backup.ts';
import { StorageError } from '../storage/storage-error.ts';
import { type StoragePlace, storagePlace } from '../storage/storage-place.ts';
import { type EtcdEndpoint, parseEndpoint } from './etcd-endpoint.ts';
import type { Schedule } from './schedule.ts';

/** What a spec asks for, checked and with all defaults. */
export interface BackupOrder {
  readonly endpoints: readonly EtcdEndpoint[];
  readonly place: StoragePlace;
  readonly schedule: Schedule;
  readonly timeoutMs: number;
  /** 0: all are kept. */
  readonly maxBackups: number;
  readonly deleteStored: boolean;
}

/** Why a spec cannot be carried out by anybody. Only another spec helps. */
export interface OrderProblem {
  /** Of the condition. */
  readonly reason: string;
  readonly message: string;
}

export type OrderResult = { readonly order: BackupOrder } | { readonly problem: OrderProblem };

const defaultTimeoutSeconds = 60;
/** Timers cannot be set for longer. */
const longestTimeoutSeconds = 7 * 24 * 3600;

/** Reads a spec. Total: objects stored by the original were never checked by anybody. */
export function orderOf({ metadata, spec }: EtcdBackup): OrderResult {
  const place = placeOf(spec, metadata?.namespace ?? '');
  if ('problem' in place) return place;
  const endpoints = endpointsOf(spec);
  if ('problem' in endpoints) return endpoints;
  const schedule = scheduleOf(spec);
  if ('problem' in schedule) return schedule;
  const { timeoutInSecond, maxBackups = 0 } = spec.backupPolicy ?? {};
  if (maxBackups < 0) return invalid('InvalidPolicy', 'spec.backupPolicy.maxBackups must not be negative');
  const seconds = timeoutInSecond && timeoutInSecond > 0 ? timeoutInSecond : defaultTimeoutSeconds;
  const order = {
    ...place,
    ...endpoints,
    ...schedule,
    timeoutMs: Math.min(seconds, longestTimeoutSeconds) * 1000,
    maxBackups,
    deleteStored: spec.deletionPolicy === 'Delete',
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

function endpointsOf({ etcdEndpoints }: EtcdBackupSpec) {
  const texts = etcdEndpoints ?? [];
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
  return { endpoints };
}

function scheduleOf({ backupPolicy }: EtcdBackupSpec) {
  const { backupIntervalInSecond: seconds = 0, schedule: text, timeZone } = backupPolicy ?? {};
  if (seconds < 0) return invalid('InvalidPolicy', 'spec.backupPolicy.backupIntervalInSecond must not be negative');
  if (!text) {
    const schedule: Schedule = seconds > 0 ? { kind: 'interval', milliseconds: seconds * 1000 } : { kind: 'once' };
    return { schedule };
  }
  if (seconds > 0) return invalid('InvalidPolicy', 'schedule and backupIntervalInSecond exclude each other');
  const cron = parseCron(text, timeZone || 'UTC');
  if (!cron) {
    const shown = JSON.stringify(text.slice(0, 128));
    return invalid('InvalidPolicy', `spec.backupPolicy.schedule ${shown} is none, or its time zone is unknown`);
  }
  const schedule: Schedule = { kind: 'cron', cron };
  return { schedule };
}

function invalid(reason: string, message: string): { readonly problem: OrderProblem } {
  return { problem: { reason, message } };
}
