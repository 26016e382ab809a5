// SPDX-License-Identifier: Apache-2.0

/**
 * What is written beside a backup, last of all: a backup with a manifest that fits it is complete. Holds no secret, and
 * nothing that is needed to use the backup, which is a plain snapshot of etcd.
 */
export interface Manifest {
  /** Version of etcd that it was taken from, `3.6.16`. */
  readonly etcdVersion: string;
  /** The revision of the store in it, read back from the stored object. */
  readonly revision: number;
  /** Length of the object, its hash at the end included. */
  readonly bytes: number;
  /** SHA-256 of the whole object, hexadecimal: what `sha256sum` prints. */
  readonly sha256: string;
  /** etcd's cluster ID, hexadecimal. */
  readonly clusterId: string;
  /** When it was begun, RFC 3339. */
  readonly time: string;
  /** The format of the database, `3.6.0`; only from 3.6 on. */
  readonly storageVersion?: string;
  /** The EtcdCluster that it belongs to, if there was one. */
  readonly cluster?: ManifestCluster;
  /** The EtcdBackup that made it. */
  readonly backup?: { readonly namespace: string; readonly name: string; readonly uid: string };
}

/** What a restore may take over if the EtcdCluster is gone (operator rule 22): nothing else, and never without checking. */
export interface ManifestCluster {
  readonly name: string;
  readonly size: number;
  readonly version: string;
  /** Size of each member's volume, as a Kubernetes quantity; absent where members have none. */
  readonly storage?: string;
}

const format = 'etcd-backup/v1';

/** More than any manifest; what is longer is none. */
export const manifestLimit = 16_384;

/** Where the manifest of an object lies. */
export function manifestPath(key: string): string {
  return `${key}.manifest.json`;
}

export function renderManifest(manifest: Manifest): Uint8Array {
  return Buffer.from(`${JSON.stringify({ format, ...manifest }, undefined, 2)}\n`);
}

/**
 * Reads a manifest, or gives undefined for what is none. Whoever may write to the bucket may have written it: every field is
 * checked for its form, unknown ones are dropped, and what it says of the bytes counts only after comparing.
 */
export function parseManifest(bytes: Uint8Array): Manifest | undefined {
  const value = bytes.byteLength <= manifestLimit ? parseJson(bytes) : undefined;
  if (!isFields(value) || value['format'] !== format) return undefined;
  const { etcdVersion, revision, bytes: length, sha256, clusterId, time, storageVersion } = value;
  const isSound =
    isText(etcdVersion, versionForm) &&
    isCount(revision) &&
    isCount(length) &&
    isText(sha256, /^[0-9a-f]{64}$/) &&
    isText(clusterId, /^[0-9a-f]{1,16}$/) &&
    isText(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/);
  if (!isSound) return undefined;
  const cluster = parseCluster(value['cluster']);
  const backup = parseBackup(value['backup']);
  return {
    etcdVersion,
    revision,
    bytes: length,
    sha256,
    clusterId,
    time,
    ...(isText(storageVersion, versionForm) && { storageVersion }),
    ...(cluster && { cluster }),
    ...(backup && { backup }),
  };
}

const versionForm = /^\d{1,4}\.\d{1,4}\.\d{1,4}([-+][0-9A-Za-z.-]{1,32})?$/;
const nameForm = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
const quantityForm = /^\d{1,20}(\.\d{1,9})?([kMGTPE]i?|m)?$/;

function parseCluster(value: unknown): ManifestCluster | undefined {
  if (!isFields(value)) return undefined;
  const { name, size, version, storage } = value;
  if (!isText(name, nameForm) || !isCount(size) || size < 1 || size > 7 || !isText(version, versionForm))
    return undefined;
  return { name, size, version, ...(isText(storage, quantityForm) && { storage }) };
}

function parseBackup(value: unknown): Manifest['backup'] {
  if (!isFields(value)) return undefined;
  const { namespace, name, uid } = value;
  if (!isText(namespace, nameForm) || !isText(name, nameForm) || !isText(uid, /^[0-9A-Za-z-]{1,64}$/)) return undefined;
  return { namespace, name, uid };
}

type Fields = Readonly<Record<string, unknown>>;

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
