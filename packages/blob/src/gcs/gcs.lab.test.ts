// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import type { StoreSettings } from '../store.ts';
import { testStore } from '../testing/conformance.ts';
import { startFakeGcsServer } from '../testing/fake-gcs-server.ts';
import { anHourAgo } from '../testing/presign-suite.ts';
import type { GcsCredentials } from './gcs-options.ts';
import { openGcs } from './open-gcs.ts';

testStore(async () => {
  const server = await startFakeGcsServer();
  const partBytes = 256 * 1024;
  const { endpoint, accessToken } = server;
  const token = { kind: 'token', accessToken } as const;
  const open = (bucket: string, credentials: GcsCredentials = token, settings: StoreSettings = {}) =>
    openGcs({ bucket, endpoint, credentials, policy: { allowLocal: true }, partBytes }, settings);
  const store = await open(server.bucket);
  const withoutBucket = await open('not-there');
  // Tokens cannot sign URLs; a key can, but would need Google for everything else.
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const json = JSON.stringify({ type: 'service_account', client_email: 'lender@project.test', private_key: key });
  const account: GcsCredentials = { kind: 'service-account', json };
  const presigning = await open(server.bucket, account);
  const past = await open(server.bucket, account, { clock: anHourAgo });
  return {
    partBytes,
    store,
    withoutBucket,
    // Only the process that began a session knows it.
    leftovers: async () => [],
    // This server accepts any signature; sign-read.test.ts checks its parts.
    presigner: { store: presigning, past, secrets: [key] },
    close: async () => {
      for (const opened of [store, withoutBucket, presigning, past]) opened.close();
      await server.stop();
    },
  };
}, 'unchecked');
