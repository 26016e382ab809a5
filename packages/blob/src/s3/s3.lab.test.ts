// SPDX-License-Identifier: Apache-2.0
import { testStore } from '../testing/conformance.ts';
import { startVersitygw } from '../testing/versitygw.ts';
import { mebibyte } from '../write/part-sizes.ts';
import { openS3 } from './open-s3.ts';

testStore(async () => {
  const server = await startVersitygw();
  const partBytes = 5 * mebibyte;
  const { endpoint, region, accessKeyId, secretAccessKey } = server;
  const open = (bucket: string) =>
    openS3({
      bucket,
      endpoint,
      region,
      forcePathStyle: true,
      credentials: { kind: 'keys', accessKeyId, secretAccessKey },
      policy: { allowLocal: true },
      partBytes,
    });
  const store = await open(server.bucket);
  const withoutBucket = await open('not-there');
  return {
    partBytes,
    store,
    withoutBucket,
    leftovers: server.unfinished,
    seed: server.seed,
    close: async () => {
      store.close();
      withoutBucket.close();
      await server.stop();
    },
  };
});
