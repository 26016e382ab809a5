// SPDX-License-Identifier: Apache-2.0
import { BlobError } from '../blob-error.ts';
import type { EndpointPolicy } from '../endpoint/endpoint-policy.ts';
import type { ObjectLock } from '../object-lock.ts';

/** Microsoft's clouds, by the names that CoreOS's Secrets use. */
export type AzureCloud = 'AzurePublicCloud' | 'AzureChinaCloud' | 'AzureUSGovernmentCloud' | 'AzureGermanCloud';

/** The blob domain and the login authority of each cloud. */
export const azureClouds: Readonly<Record<AzureCloud, { readonly suffix: string; readonly authorityHost: string }>> = {
  AzurePublicCloud: { suffix: 'core.windows.net', authorityHost: 'https://login.microsoftonline.com' },
  AzureChinaCloud: { suffix: 'core.chinacloudapi.cn', authorityHost: 'https://login.chinacloudapi.cn' },
  AzureUSGovernmentCloud: { suffix: 'core.usgovcloudapi.net', authorityHost: 'https://login.microsoftonline.us' },
  AzureGermanCloud: { suffix: 'core.cloudapi.de', authorityHost: 'https://login.microsoftonline.de' },
};

/** The credentials. */
export type AzureCredentials =
  | { readonly kind: 'key'; readonly accountKey: string }
  /**
   * The token of the pod's service account, exchanged for a token of Azure. Without IDs, those that the workload
   * identity webhook put into the environment are used.
   */
  | { readonly kind: 'workload-identity'; readonly clientId?: string; readonly tenantId?: string }
  /** Credentials from the environment: variables, workload identity, the managed identity of the machine. */
  | { readonly kind: 'chain' };

/** A container of an Azure storage account. */
export interface AzureOptions {
  readonly account: string;
  readonly container: string;
  /** @default { kind: 'chain' } */
  readonly credentials?: AzureCredentials;
  /** @default the cloud of AZURE_AUTHORITY_HOST, for credentials from the environment; else AzurePublicCloud */
  readonly cloud?: AzureCloud;
  /** URL of the account's blob service. @default https://<account>.blob.<suffix of the cloud> */
  readonly endpoint?: string;
  /** CA certificates in PEM, trusted in addition to the system's. */
  readonly caCertificates?: string;
  readonly policy?: EndpointPolicy;
  /** The encryption scope for blobs. @default the encryption scope of the container */
  readonly encryptionScope?: string;
  /**
   * Sets an immutability policy on each blob: `Unlocked` for the mode `Governance`. The container must support
   * version-level immutability.
   */
  readonly objectLock?: ObjectLock;
  /** @default 8 MiB */
  readonly partBytes?: number;
}

/**
 * The keys of an EtcdBackup's Secret for Azure: `storage-account`, `storage-key` and, unless it is the public cloud,
 * `cloud`.
 */
export function azureOptionsFromSecret(
  data: Readonly<Record<string, string>>,
): Required<Pick<AzureOptions, 'account' | 'credentials' | 'cloud'>> {
  const account = data['storage-account'];
  const accountKey = data['storage-key'];
  if (!account || !accountKey) {
    throw new BlobError('Configuration', 'the Secret for Azure must have the keys storage-account and storage-key');
  }
  const cloud = data['cloud'] || 'AzurePublicCloud';
  if (!isCloud(cloud)) {
    const known = Object.keys(azureClouds).join(', ');
    throw new BlobError('Configuration', `the key cloud of the Secret for Azure must be one of ${known}`);
  }
  return { account, credentials: { kind: 'key', accountKey }, cloud };
}

/** The cloud of the environment's credentials. Undefined if it is unknown or not set. */
export function cloudOfAuthority(authorityHost: string | undefined): AzureCloud | undefined {
  const host = authorityHost?.replace(/\/$/, '');
  return Object.keys(azureClouds)
    .filter(isCloud)
    .find((name) => azureClouds[name].authorityHost === host);
}

function isCloud(name: string): name is AzureCloud {
  return Object.hasOwn(azureClouds, name);
}
