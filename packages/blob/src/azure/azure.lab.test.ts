// SPDX-License-Identifier: Apache-2.0
import { startAzurite } from '../testing/azurite.ts';
import { testStore } from '../testing/conformance.ts';
import { openAzure } from './open-azure.ts';

testStore(async () => {
  const server = await startAzurite();
  const partBytes = 64 * 1024;
  const { endpoint, account, accountKey } = server;
  const open = (container: string) =>
    openAzure({
      account,
      container,
      endpoint,
      credentials: { kind: 'key', accountKey },
      policy: { allowLocal: true },
      partBytes,
    });
  const store = await open(server.container);
  const withoutBucket = await open('not-there');
  return {
    partBytes,
    store,
    withoutBucket,
    // Azure drops what was not committed by itself; it can be neither listed nor read meanwhile.
    leftovers: async () => [],
    close: async () => {
      store.close();
      withoutBucket.close();
      await server.stop();
    },
  };
});
