// SPDX-License-Identifier: Apache-2.0
import type { StoreSettings } from '../store.ts';
import { testStore } from '../testing/conformance.ts';
import { storeSubject } from '../testing/store-subject.ts';
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
  const of = { bucket: server.bucket, secret: server.secretAccessKey, stop: () => server.stop() };
  return storeSubject(open, of, { partBytes, leftovers: server.unfinished, seed: server.seed });
}, 'checked');
