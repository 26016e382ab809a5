// SPDX-License-Identifier: Apache-2.0
import type { StoreSettings } from '../store.ts';
import { testStore } from '../testing/conformance.ts';
import { storeSubject } from '../testing/store-subject.ts';
import { startVersitygw } from '../testing/versitygw.ts';
import { mebibyte } from '../write/part-sizes.ts';
import { openS3 } from './open-s3.ts';

testStore(async () => {
  const server = await startVersitygw();
  const partBytes = 5 * mebibyte;
  const { endpoint, region, accessKeyId, secretAccessKey } = server;
  const open = (bucket: string, settings: StoreSettings = {}) =>
    openS3(
      {
        bucket,
        endpoint,
        region,
        forcePathStyle: true,
        credentials: { kind: 'keys', accessKeyId, secretAccessKey },
        policy: { allowLocal: true },
        partBytes,
      },
      settings,
    );
  const of = { bucket: server.bucket, secret: secretAccessKey, stop: () => server.stop() };
  return storeSubject(open, of, { partBytes, leftovers: server.unfinished, seed: server.seed });
}, 'checked');
