// SPDX-License-Identifier: Apache-2.0
import { BlobServiceClient, StorageSharedKeyCredential } from '@azure/storage-blob';
import { ensurePart } from '@etcd-operator/tools';
import { ServerProcess } from './server-process.ts';

/** A real server of Azure's blob protocol, with one container. */
export interface AzureServer {
  readonly endpoint: string;
  readonly port: number;
  readonly account: string;
  readonly accountKey: string;
  readonly container: string;
  /** A client of its own, so that what is tested does not test itself. */
  readonly client: BlobServiceClient;
  readonly stop: () => Promise<void>;
}

const account = 'testaccount';
const accountKey = Buffer.from('test-account-key-MARKER-9a7e').toString('base64');
const container = 'backups';

export async function startAzurite(): Promise<AzureServer> {
  const part = await ensurePart('azurite');
  let port = 0;
  const server = await ServerProcess.start((chosen, directory) => {
    port = chosen;
    return {
      program: part.programs['azurite-blob'] ?? '',
      args: [
        '--blobHost=127.0.0.1',
        `--blobPort=${chosen}`,
        `--location=${directory}`,
        '--silent',
        '--disableTelemetry',
        '--skipApiVersionCheck',
        '--disableProductStyleUrl',
      ],
      environment: { AZURITE_ACCOUNTS: `${account}:${accountKey}` },
      isUp: async () => (await fetch(`http://127.0.0.1:${chosen}/`)).status > 0,
    };
  });
  const endpoint = `http://127.0.0.1:${port}/${account}`;
  const client = new BlobServiceClient(endpoint, new StorageSharedKeyCredential(account, accountKey));
  await client.getContainerClient(container).create();
  return { endpoint, port, account, accountKey, container, client, stop: () => server.stop() };
}
