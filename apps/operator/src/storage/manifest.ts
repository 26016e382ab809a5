// SPDX-License-Identifier: Apache-2.0
import { isCount, isFields, isText } from '../api/json-fields.ts';
import { keyIdForm } from './encryption/key-provider.ts';

/**
 * The manifest is written beside a backup at the very end: a backup with a matching manifest is complete. It contains no secret, and
 * nothing that is needed to use the backup. The backup is a plain etcd snapshot, or an encrypted one with everything that decryption needs
 * but the key.
 */
export interface Manifest {
  /** Version of the etcd that the backup was taken from, such as `3.6.16`. */
  readonly etcdVersion: string;
  /** The etcd revision of the backup, read back from the stored object. */
  readonly revision: number;
  /** Length of the stored object, including the hash at its end. */
  readonly bytes: number;
  /** SHA-256 of the whole stored object, hexadecimal, as `sha256sum` prints it. */
  readonly sha256: string;
  /** The cluster ID of etcd, hexadecimal. */
  readonly clusterId: string;
  /** When the backup was started, RFC 3339. */
  readonly time: string;
  /** The storage version of the database, such as `3.6.0`; only from 3.6 on. */
  readonly storageVersion?: string;
  /** The EtcdCluster of the backup, if there was one. */
  readonly cluster?: ManifestCluster;
  /** The EtcdBackup that made the backup. */
  readonly backup?: { readonly namespace: string; readonly name: string; readonly uid: string };
  /** Present if the backup was encrypted before it was stored. */
  readonly encryption?: ManifestEncryption;
}

/** How a backup was encrypted, and a description of its content. */
export interface ManifestEncryption {
  readonly algorithm: 'AES-256-GCM';
  /** Identifies the key. */
  readonly keyId: string;
  /** Length of the snapshot before encryption. */
  readonly contentBytes: number;
  /** SHA-256 of the snapshot before encryption. */
  readonly contentSha256: string;
  /** HMAC-SHA256 of all other fields of the manifest, hexadecimal. It shows that the writer had the key. */
  readonly mac?: string;
}

/** The manifest with length and hash of the snapshot itself. They differ from those of the stored object if that is encrypted. */
export function contentManifest(manifest: Manifest): Manifest {
  const { encryption } = manifest;
  if (!encryption) return manifest;
  return { ...manifest, bytes: encryption.contentBytes, sha256: encryption.contentSha256 };
}

/**
 * What a restore may use of a manifest if the EtcdCluster no longer exists (operator rule 22). A restore may use nothing else of it, and
 * must validate these values.
 */
export interface ManifestCluster {
  readonly name: string;
  readonly size: number;
  readonly version: string;
  /** Size of each member's volume, as a Kubernetes quantity; absent if members have no volumes. */
  readonly storage?: string;
}

const format = 'etcd-backup/v1';

/** Larger than any manifest; a larger object is not a manifest. */
export const manifestLimit = 16_384;

/** The key of the manifest of an object. */
export function manifestPath(key: string): string {
  return `${key}.manifest.json`;
}

/** The key of the snapshot that a manifest describes. Any other key is returned unchanged. */
export function snapshotPath(key: string): string {
  const suffix = manifestPath('');
  return key.endsWith(suffix) ? key.slice(0, -suffix.length) : key;
}

export function renderManifest(manifest: Manifest): Uint8Array {
  return Buffer.from(`${JSON.stringify({ format, ...manifest }, undefined, 2)}\n`);
}

/**
 * Parses a manifest; undefined if it is not valid. Anyone who may write to the bucket may have written it. So the form of every field is
 * checked, and unknown fields are dropped. Length and hash count only after they were compared with the bytes of the backup. If there is a
 * key, `isAuthentic` decides whether the other fields count.
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
