// SPDX-License-Identifier: Apache-2.0
import { timingSafeEqual } from 'node:crypto';
import { type Manifest, parseManifest, renderManifest } from '../manifest.ts';
import type { KeyProvider } from './key-provider.ts';

/**
 * The manifest of an encrypted backup with a MAC, which shows that its writer had the key. Without the MAC, anyone who may write to the
 * store could present the backup of one cluster as that of another with the same key.
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

/** True if a writer who had the key wrote all known fields of the manifest. */
export async function isAuthentic(manifest: Manifest, keys: KeyProvider, signal: AbortSignal): Promise<boolean> {
  const { mac } = manifest.encryption ?? {};
  if (mac === undefined) return false;
  const found = Buffer.from(mac, 'hex');
  const wanted = await keys.mac(bytesOf(manifest), signal);
  return found.byteLength === wanted.byteLength && timingSafeEqual(found, wanted);
}

/** Renders the parsed manifest, so that writer and reader have the same order of fields, without the MAC itself. */
function bytesOf(manifest: Manifest): Uint8Array {
  const read = parseManifest(renderManifest(manifest));
  if (!read?.encryption)
    throw new TypeError(`the manifest of ${manifest.time} is invalid, or belongs to a backup that is not encrypted`);
  const { mac: _mac, ...encryption } = read.encryption;
  return renderManifest({ ...read, encryption });
}
