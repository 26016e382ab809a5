// SPDX-License-Identifier: Apache-2.0
import { ensurePart } from '@etcd-operator/tools';
import { ServerProcess } from './server-process.ts';

/** A real server of Google's storage protocol, with one bucket. It accepts any token. */
export interface GcsServer {
  readonly endpoint: string;
  readonly port: number;
  readonly bucket: string;
  readonly accessToken: string;
  readonly stop: () => Promise<void>;
}

const bucket = 'backups';

export async function startFakeGcsServer(): Promise<GcsServer> {
  const part = await ensurePart('fake-gcs-server');
  let endpoint = '';
  let port = 0;
  const server = await ServerProcess.start((chosen) => {
    port = chosen;
    endpoint = `http://127.0.0.1:${chosen}`;
    return {
      program: part.programs['fake-gcs-server'] ?? '',
      args: [
        '-host=127.0.0.1',
        `-port=${chosen}`,
        '-scheme=http',
        '-backend=memory',
        '-public-host=127.0.0.1',
        '-log-level=error',
      ],
      isUp: async () => (await fetch(`${endpoint}/storage/v1/b`)).ok,
    };
  });
  const made = await fetch(`${endpoint}/storage/v1/b`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: bucket }),
  });
  if (!made.ok) throw new Error(`the bucket could not be made: ${await made.text()}`);
  return { endpoint, port, bucket, accessToken: 'ya29.test-token-MARKER-77d0', stop: () => server.stop() };
}
