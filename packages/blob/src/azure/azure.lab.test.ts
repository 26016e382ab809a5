// SPDX-License-Identifier: Apache-2.0
import type { StoreSettings } from '../store.ts';
import { startAzurite } from '../testing/azurite.ts';
import { testStore } from '../testing/conformance.ts';
import { anHourAgo } from '../testing/lending-suite.ts';
import { openAzure } from './open-azure.ts';

testStore(async () => {
  const server = await startAzurite();
  const partBytes = 64 * 1024;
  const { endpoint, account, accountKey } = server;
  const open = (container: string, settings: StoreSettings = {}) =>
    openAzure(
      {
        account,
        container,
        endpoint,
        credentials: { kind: 'key', accountKey },
        policy: { allowLocal: true },
        partBytes,
      },
      settings,
    );
  const store = await open(server.container);
  const withoutBucket = await open('not-there');
  const past = await open(server.container, { clock: anHourAgo });
  return {
    partBytes,
    store,
    withoutBucket,
    // Azure drops uncommitted blocks itself; until then they can be neither listed nor read.
    leftovers: async () => [],
    lender: { store, past, secrets: [accountKey] },
    close: async () => {
      store.close();
      past.close();
      withoutBucket.close();
      await server.stop();
    },
  };
}, 'checked');
