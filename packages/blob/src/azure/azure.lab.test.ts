// SPDX-License-Identifier: Apache-2.0
import type { StoreSettings } from '../store.ts';
import { startAzurite } from '../testing/azurite.ts';
import { testStore } from '../testing/conformance.ts';
import { storeSubject } from '../testing/store-subject.ts';
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
  // Azure drops uncommitted blocks itself; until then they can be neither listed nor read.
  const of = { bucket: server.container, secret: accountKey, stop: () => server.stop() };
  return storeSubject(open, of, { partBytes, leftovers: async () => [] });
}, 'checked');
