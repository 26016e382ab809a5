// SPDX-License-Identifier: Apache-2.0
import { testStore } from '../testing/conformance.ts';
import { startFakeGcsServer } from '../testing/fake-gcs-server.ts';
import { openGcs } from './open-gcs.ts';

testStore(async () => {
  const server = await startFakeGcsServer();
  const partBytes = 256 * 1024;
  const { endpoint, accessToken } = server;
  const open = (bucket: string) =>
    openGcs({ bucket, endpoint, credentials: { kind: 'token', accessToken }, policy: { allowLocal: true }, partBytes });
  const store = await open(server.bucket);
  const withoutBucket = await open('not-there');
  return {
    partBytes,
    store,
    withoutBucket,
    // Sessions that were not finished are known to nobody but who began them.
    leftovers: async () => [],
    close: async () => {
      store.close();
      withoutBucket.close();
      await server.stop();
    },
  };
});
