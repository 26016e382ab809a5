// SPDX-License-Identifier: Apache-2.0

import type { TokenCredential } from '@azure/identity';
import type { RequestPolicyFactory, StorageSharedKeyCredential } from '@azure/storage-blob';
import { systemClock } from '@operator-parts/ports';
import { BlobError } from '../blob-error.ts';
import type { BlobStore } from '../blob-store.ts';
import { redactor } from '../call/fault.ts';
import { checkEndpoint } from '../endpoint/endpoint-policy.ts';
import { type GuardedAgents, guardedAgents } from '../endpoint/guarded-agents.ts';
import { checkHeaderValue } from '../endpoint/header-value.ts';
import { createStore, type StoreSettings } from '../store.ts';
import { AzureDriver, type ReadSas } from './azure-driver.ts';
import { azureError } from './azure-errors.ts';
import { type AzureCredentials, type AzureOptions, azureClouds, cloudOfAuthority } from './azure-options.ts';
import { limitedResponses } from './limit-responses.ts';

type AzureSdk = typeof import('@azure/storage-blob');

/** Opens a container. Loads the SDK; makes no request. */
export async function openAzure(options: AzureOptions, settings: StoreSettings = {}): Promise<BlobStore> {
  const { account, container, policy = {}, credentials = { kind: 'chain' } } = options;
  const identity = credentials.kind === 'key' ? undefined : process.env['AZURE_AUTHORITY_HOST'];
  const cloud = azureClouds[options.cloud ?? cloudOfAuthority(identity) ?? 'AzurePublicCloud'];
  checkNames(account, container);
  checkHeaderValue('encryptionScope', options.encryptionScope);
  const endpoint = checkEndpoint(options.endpoint || `https://${account}.blob.${cloud.suffix}`, policy);
  const sdk = await import('@azure/storage-blob');
  const agents = guardedAgents({
    policy,
    host: endpoint.hostname,
    fence: settings.fence,
    ...(options.caCertificates === undefined ? {} : { caCertificates: options.caCertificates }),
  });
  // Without a cloud in the options, the environment's credentials decide.
  const authority =
    options.cloud === undefined
      ? // An authority that is none of Microsoft's clouds: Microsoft is not asked whether it is valid.
        { disableInstanceDiscovery: identity !== undefined && cloudOfAuthority(identity) === undefined }
      : { authorityHost: cloud.authorityHost };
  const redact = redactor(credentials.kind === 'key' ? [credentials.accountKey] : []);
  const credential = await credentialOf(sdk, account, credentials, authority).catch((error: unknown) => {
    throw azureError(error, "getting a token for the operator's Azure identity", redact);
  });
  // The SDK must not retry: this package does, with its own clock.
  const pipeline = sdk.newPipeline(credential, { retryOptions: { maxTries: 1 } });
  pipeline.factories.push(limitedResponses(), onlyTo(endpoint, agents));
  const service = new sdk.BlobServiceClient(endpoint.href.replace(/\/$/, ''), pipeline);
  const driver = new AzureDriver({
    container: service.getContainerClient(container),
    agents,
    location: `azure://${account}/${container}`,
    server: endpoint.href,
    partBytes: options.partBytes,
    encryptionScope: options.encryptionScope,
    objectLock: options.objectLock,
    clock: settings.clock ?? systemClock,
    readSas: readSasOf(sdk, endpoint, container, credential),
    redact,
  });
  return createStore(driver, settings);
}

async function credentialOf(
  sdk: AzureSdk,
  account: string,
  credentials: AzureCredentials,
  authority: { readonly authorityHost?: string; readonly disableInstanceDiscovery?: boolean },
): Promise<StorageSharedKeyCredential | TokenCredential> {
  switch (credentials.kind) {
    case 'key':
      if (!/^[A-Za-z0-9+/]+={0,2}$/.test(credentials.accountKey)) {
        throw new BlobError('Configuration', 'the key of the storage account is not base64');
      }
      return new sdk.StorageSharedKeyCredential(account, credentials.accountKey);
    case 'workload-identity': {
      const { WorkloadIdentityCredential } = await import('@azure/identity');
      const { clientId, tenantId } = credentials;
      return new WorkloadIdentityCredential({
        ...authority,
        ...(clientId === undefined ? {} : { clientId }),
        ...(tenantId === undefined ? {} : { tenantId }),
      });
    }
    case 'chain': {
      const { DefaultAzureCredential } = await import('@azure/identity');
      return new DefaultAzureCredential(authority);
    }
  }
}

/** Shared access signatures of single blobs, with the account key; without an account key there are none. */
function readSasOf(
  sdk: AzureSdk,
  endpoint: URL,
  container: string,
  credential: StorageSharedKeyCredential | TokenCredential,
): ReadSas | undefined {
  if (!(credential instanceof sdk.StorageSharedKeyCredential)) return undefined;
  const permissions = sdk.BlobSASPermissions.parse('r');
  const protocol = endpoint.protocol === 'https:' ? sdk.SASProtocol.Https : sdk.SASProtocol.HttpsAndHttp;
  return (blobName, expiresOn) => {
    const values = { containerName: container, blobName, permissions, protocol, expiresOn };
    return sdk.generateBlobSASQueryParameters(values, credential).toString();
  };
}

/** Every request uses our connections, and none goes to another host, even after a redirect. */
function onlyTo(endpoint: URL, agents: GuardedAgents): RequestPolicyFactory {
  return {
    create: (next) => ({
      sendRequest: (request) => {
        const { origin, host } = new URL(request.url);
        if (origin !== endpoint.origin) {
          const message = `the request to ${endpoint.host} is not sent, because it would go to ${host} instead`;
          return Promise.reject(new BlobError('Configuration', message));
        }
        request.agent = endpoint.protocol === 'https:' ? agents.https : agents.http;
        return next.sendRequest(request);
      },
    }),
  };
}

/** Throws for invalid names, because they become part of a host name and of a path. */
function checkNames(account: string, container: string): void {
  if (!/^[a-z0-9]{3,24}$/.test(account)) {
    throw new BlobError('Configuration', `${JSON.stringify(account)} is not a valid storage account name`);
  }
  if (!/^(\$root|[a-z0-9][a-z0-9-]{1,61}[a-z0-9])$/.test(container) || container.includes('--')) {
    throw new BlobError('InvalidPath', `${JSON.stringify(container)} is not a valid container name`);
  }
}
