// SPDX-License-Identifier: Apache-2.0
import { testFaults } from '../testing/kit/fault-kit.ts';
import { quickRetries } from '../testing/kit/kit-subject.ts';
import { s3Subject } from '../testing/kit/s3-subject.ts';
import { openS3 } from './open-s3.ts';

testFaults('S3', () =>
  s3Subject(({ bucket, region, accessKeyId, secretAccessKey }, url, partBytes) =>
    openS3(
      {
        bucket,
        region,
        partBytes,
        ...url('127.0.0.1'),
        forcePathStyle: true,
        credentials: { kind: 'keys', accessKeyId, secretAccessKey },
        policy: { allowLocal: true },
      },
      { retry: quickRetries },
    ),
  ),
);
