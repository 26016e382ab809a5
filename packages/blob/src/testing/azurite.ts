// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import {
  BlobServiceClient,
  newPipeline,
  type RequestPolicyFactory,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import { ensurePart } from '@etcd-operator/tools';
import { accepts, ServerProcess } from './server-process.ts';
import { testdata } from './testdata.ts';

/** A real server of Azure's blob protocol, with one container. */
export interface AzureServer {
  readonly endpoint: string;
  readonly port: number;
  readonly account: string;
  readonly accountKey: string;
  readonly container: string;
  /** An independent client, so that the tested code does not check itself. */
  readonly client: BlobServiceClient;
  readonly stop: () => Promise<void>;
}

const account = 'testaccount';
const accountKey = Buffer.from('test-account-key-MARKER-9a7e').toString('base64');
const container = 'backups';

/** @param options.tls a certificate from testdata, and bearer tokens, instead of plain HTTP. */
export async function startAzurite(options: { readonly tls?: boolean } = {}): Promise<AzureServer> {
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
        ...(options.tls
          ? ['--oauth=basic', `--cert=${testdata('server.pem')}`, `--key=${testdata('server.key')}`]
          : []),
      ],
      environment: { AZURITE_ACCOUNTS: `${account}:${accountKey}` },
      isUp: () => accepts(chosen),
    };
  });
  const endpoint = `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}/${account}`;
  const credential = new StorageSharedKeyCredential(account, accountKey);
  const pipeline = newPipeline(credential);
  if (options.tls) pipeline.factories.push(trusting(readFileSync(testdata('ca.pem'), 'utf8')));
  const client = new BlobServiceClient(endpoint, pipeline);
  await client.getContainerClient(container).create();
  return { endpoint, port, account, accountKey, container, client, stop: () => server.stop() };
}

function trusting(ca: string): RequestPolicyFactory {
  const agent = new Agent({ ca });
  return {
    create: (next) => ({
      sendRequest: (request) => {
        request.agent = agent;
        return next.sendRequest(request);
      },
    }),
  };
}
