// SPDX-License-Identifier: Apache-2.0
import { isCount, isFields, isText } from '../api/json-fields.ts';
import { keyIdForm } from './encryption/key-provider.ts';

/**
 * What is written beside a backup, last of all: a backup with a manifest that fits it is complete. Holds no secret, and
 * nothing that is needed to use the backup, which is a plain snapshot of etcd, or an encrypted one with all that is needed but the key.
 */
export interface Manifest {
  /** Version of etcd that it was taken from, `3.6.16`. */
  readonly etcdVersion: string;
  /** The revision of the store in it, read back from the stored object. */
  readonly revision: number;
  /** Length of the object as it is stored, its hash at the end included. */
  readonly bytes: number;
  /** SHA-256 of the whole object as it is stored, hexadecimal: what `sha256sum` prints. */
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
  /** Of a backup that was encrypted before it was stored. */
  readonly encryption?: ManifestEncryption;
}

/** How a backup was encrypted, and what is encrypted in it. */
export interface ManifestEncryption {
  readonly algorithm: 'AES-256-GCM';
  /** Names the key. */
  readonly keyId: string;
  /** Length of the snapshot in it. */
  readonly contentBytes: number;
  /** SHA-256 of the snapshot in it. */
  readonly contentSha256: string;
  /** HMAC-SHA256 of everything else in the manifest, hexadecimal: its writer had the key. */
  readonly mac?: string;
}

/** A manifest that says of the snapshot itself what it says of the object, which differ where it is encrypted. */
export function contentManifest(manifest: Manifest): Manifest {
  const { encryption } = manifest;
  if (!encryption) return manifest;
  return { ...manifest, bytes: encryption.contentBytes, sha256: encryption.contentSha256 };
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

/** The snapshot that a manifest is of, by their keys; any other key is that of a snapshot already. */
export function snapshotPath(key: string): string {
  const suffix = manifestPath('');
  return key.endsWith(suffix) ? key.slice(0, -suffix.length) : key;
}

export function renderManifest(manifest: Manifest): Uint8Array {
  return Buffer.from(`${JSON.stringify({ format, ...manifest }, undefined, 2)}\n`);
}

/**
 * Reads a manifest, or gives undefined for what is none. Whoever may write to the bucket may have written it: every field is
 * checked for its form, unknown ones are dropped, and what it says of the bytes counts only after comparing. Where there is a key, `isAuthentic`
 * says whether the rest counts.
 */
export function parseManifest(bytes: Uint8Array): Manifest | undefined {
  const value = bytes.byteLength <= manifestLimit ? parseJson(bytes) : undefined;
  if (!isFields(value) || value['format'] !== format) return undefined;
  const { etcdVersion, revision, bytes: length, sha256, clusterId, time, storageVersion } = value;
  const isSound =
    isText(etcdVersion, versionForm) &&
    isCount(revision) &&
    isCount(length) &&
    isText(sha256, sha256Form) &&
    isText(clusterId, /^[0-9a-f]{1,16}$/) &&
    isText(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/);
  if (!isSound) return undefined;
  const cluster = parseCluster(value['cluster']);
  const backup = parseBackup(value['backup']);
  const encryption = parseEncryption(value['encryption']);
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
    ...(encryption && { encryption }),
  };
}

const versionForm = /^\d{1,4}\.\d{1,4}\.\d{1,4}([-+][0-9A-Za-z.-]{1,32})?$/;
const sha256Form = /^[0-9a-f]{64}$/;
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

function parseEncryption(value: unknown): ManifestEncryption | undefined {
  if (!isFields(value) || value['algorithm'] !== 'AES-256-GCM') return undefined;
  const { keyId, contentBytes, contentSha256, mac } = value;
  if (!isText(keyId, keyIdForm) || !isCount(contentBytes) || !isText(contentSha256, sha256Form)) return undefined;
  return { algorithm: 'AES-256-GCM', keyId, contentBytes, contentSha256, ...(isText(mac, sha256Form) && { mac }) };
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}
