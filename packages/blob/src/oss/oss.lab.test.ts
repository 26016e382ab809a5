// SPDX-License-Identifier: Apache-2.0
import type { StoreSettings } from '../store.ts';
import { testStore } from '../testing/conformance.ts';
import { anHourAgo } from '../testing/lending-suite.ts';
import { startVersitygw } from '../testing/versitygw.ts';
import { mebibyte } from '../write/part-sizes.ts';
import { openOss } from './open-oss.ts';

testStore(async () => {
  const server = await startVersitygw();
  const partBytes = 5 * mebibyte;
  const open = (bucket: string, settings: StoreSettings = {}) =>
    openOss(
      {
        bucket,
        // The bucket is the first label of the host name, as OSS requires.
        endpoint: `http://${server.virtualDomain}:${server.port}`,
        region: server.region,
        credentials: { accessKeyId: server.accessKeyId, accessKeySecret: server.secretAccessKey },
        policy: { allowLocal: true, resolve: async () => ['127.0.0.1'] },
        partBytes,
      },
      settings,
    );
  const store = await open(server.bucket);
  const withoutBucket = await open('not-there');
  const past = await open(server.bucket, { clock: anHourAgo });
  return {
    partBytes,
    store,
    withoutBucket,
    leftovers: server.unfinished,
    seed: server.seed,
    lender: { store, past, secrets: [server.secretAccessKey] },
    close: async () => {
      store.close();
      past.close();
      withoutBucket.close();
      await server.stop();
    },
  };
}, 'checked');
