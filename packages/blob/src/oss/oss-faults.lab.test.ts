// SPDX-License-Identifier: Apache-2.0
import { testFaults } from '../testing/kit/fault-kit.ts';
import { quickRetries } from '../testing/kit/kit-subject.ts';
import { s3Subject } from '../testing/kit/s3-subject.ts';
import { openOss } from './open-oss.ts';

testFaults('OSS', () =>
  s3Subject(({ bucket, region, virtualDomain, accessKeyId, secretAccessKey }, url, partBytes) =>
    openOss(
      {
        bucket,
        region,
        partBytes,
        ...url(virtualDomain),
        credentials: { accessKeyId, accessKeySecret: secretAccessKey },
        policy: { allowLocal: true, resolve: async () => ['127.0.0.1'] },
      },
      { retry: quickRetries },
    ),
  ),
);
