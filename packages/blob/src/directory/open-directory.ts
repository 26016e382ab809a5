// SPDX-License-Identifier: Apache-2.0
import { isAbsolute } from 'node:path';
import { BlobError } from '../blob-error.ts';
import type { BlobStore } from '../blob-store.ts';
import { createStore, type StoreSettings } from '../store.ts';
import { DirectoryDriver, type DirectoryOptions } from './directory-driver.ts';

/** Opens a directory as a store. The first call fails if the directory does not exist. */
export function openDirectory(options: DirectoryOptions, settings: StoreSettings = {}): BlobStore {
  if (!isAbsolute(options.root) || options.root.includes('\0')) {
    throw new BlobError('Configuration', 'the root directory of the backup store must be an absolute path');
  }
  const random = settings.random ? { random: settings.random } : {};
  return createStore(new DirectoryDriver({ ...random, fence: settings.fence, ...options }), settings);
}
