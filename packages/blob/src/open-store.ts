// SPDX-License-Identifier: Apache-2.0
import type { AzureOptions } from './azure/azure-options.ts';
import type { BlobStore } from './blob-store.ts';
import type { DirectoryOptions } from './directory/directory-driver.ts';
import type { GcsOptions } from './gcs/gcs-options.ts';
import type { OssOptions } from './oss/open-oss.ts';
import type { S3Options } from './s3/s3-options.ts';
import type { StoreSettings } from './store.ts';

/** The kind and options of a store. */
export type StoreOptions =
  | ({ readonly kind: 's3' } & S3Options)
  | ({ readonly kind: 'oss' } & OssOptions)
  | ({ readonly kind: 'azure' } & AzureOptions)
  | ({ readonly kind: 'gcs' } & GcsOptions)
  | ({ readonly kind: 'directory' } & DirectoryOptions);

/**
 * Opens a store. Only this call loads the code and the SDK of its kind. It makes no request. Rejects with a `BlobError`
 * if the options cannot work.
 */
export async function openStore(options: StoreOptions, settings: StoreSettings = {}): Promise<BlobStore> {
  switch (options.kind) {
    case 's3':
      return (await import('./s3/open-s3.ts')).openS3(options, settings);
    case 'oss':
      return (await import('./oss/open-oss.ts')).openOss(options, settings);
    case 'azure':
      return (await import('./azure/open-azure.ts')).openAzure(options, settings);
    case 'gcs':
      return (await import('./gcs/open-gcs.ts')).openGcs(options, settings);
    case 'directory':
      return (await import('./directory/open-directory.ts')).openDirectory(options, settings);
  }
}
