// SPDX-License-Identifier: Apache-2.0
import { timingSafeEqual } from 'node:crypto';
import { type Manifest, parseManifest, renderManifest } from '../manifest.ts';
import type { KeyProvider } from './key-provider.ts';

/**
 * The manifest of an encrypted backup, with the proof that its writer had the key. Without this proof, anyone who may write to the store
 * could pass off the backup of one cluster as that of another, if both have the same key.
 */
export async function withMac(
  manifest: Manifest,
  keys: KeyProvider | undefined,
  signal: AbortSignal,
): Promise<Manifest> {
  const { encryption } = manifest;
  if (!keys || !encryption) return manifest;
  const mac = Buffer.from(await keys.mac(bytesOf(manifest), signal)).toString('hex');
  return { ...manifest, encryption: { ...encryption, mac } };
}

/** True if a manifest that was read is, in all that counts of it, one that somebody with the key wrote. */
export async function isAuthentic(manifest: Manifest, keys: KeyProvider, signal: AbortSignal): Promise<boolean> {
  const { mac } = manifest.encryption ?? {};
  if (mac === undefined) return false;
  const found = Buffer.from(mac, 'hex');
  const wanted = await keys.mac(bytesOf(manifest), signal);
  return found.byteLength === wanted.byteLength && timingSafeEqual(found, wanted);
}

/** As it is read, so that writer and reader have the same order of fields, and without the proof itself. */
function bytesOf(manifest: Manifest): Uint8Array {
  const read = parseManifest(renderManifest(manifest));
  if (!read?.encryption)
    throw new TypeError(`the manifest of ${manifest.time} is invalid, or not of an encrypted backup`);
  const { mac: _mac, ...encryption } = read.encryption;
  return renderManifest({ ...read, encryption });
}
