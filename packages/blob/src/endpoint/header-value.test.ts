// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { openAzure } from '../azure/open-azure.ts';
import { openGcs } from '../gcs/open-gcs.ts';
import { openOss } from '../oss/open-oss.ts';
import { openS3 } from '../s3/open-s3.ts';

const credentials = { accessKeyId: 'a', secretAccessKey: 's', accessKeySecret: 's', kind: 'keys' } as const;
const account = { account: 'account', container: 'backups', credentials: { kind: 'key', accountKey: 'a2V5' } } as const;
const token = { kind: 'token', accessToken: 't' } as const;

describe('a setting with a line break, which would be a separate header', () => {
  const name = 'key\r\nx-injected: yes';

  test.each([
    ['S3', () => openS3({ bucket: 'backups', credentials, encryption: { algorithm: 'aws:kms', kmsKeyId: name } })],
    ['OSS', () => openOss({ bucket: 'backups', credentials, encryption: { algorithm: 'KMS', kmsKeyId: name } })],
    ['Azure', () => openAzure({ ...account, encryptionScope: name })],
    ['Google', () => openGcs({ bucket: 'backups', credentials: token, kmsKeyName: name })],
  ])('is refused before %s is asked', async (_, open) => {
    await expect(open()).rejects.toMatchObject({
      code: 'Configuration',
      retryable: false,
      message: expect.stringMatching(/^(kmsKeyID|kmsKeyName|encryptionScope) is empty or contains invalid characters/),
    });
  });
});
