// SPDX-License-Identifier: Apache-2.0
import type { StorageSettings } from '../storage/open-store.ts';

/** What the flags say about stores. */
export function storageSettings(flags: {
  readonly 'backup-directory': string;
  readonly 'allow-endpoints': string;
}): StorageSettings {
  const directory = flags['backup-directory'];
  const allow = flags['allow-endpoints']
    .split(',')
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== '');
  return { ...(directory && { directory }), ...(allow.length > 0 && { policy: { allow } }) };
}
