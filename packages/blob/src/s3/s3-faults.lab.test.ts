// SPDX-License-Identifier: Apache-2.0
import { FaultProxy, type ProxiedRequest } from '../testing/fault-proxy.ts';
import { quickRetries, type RefusalCase, testFaults } from '../testing/fault-suite.ts';
import { startVersitygw } from '../testing/versitygw.ts';
import { mebibyte } from '../write/part-sizes.ts';
import { openS3 } from './open-s3.ts';

const partBytes = 5 * mebibyte;

function isPart({ method, url }: ProxiedRequest): boolean {
  return method === 'PUT' && url.includes('partNumber=');
}

function isFinish({ method, url }: ProxiedRequest): boolean {
  return method === 'POST' && url.includes('uploadId=');
}

function xml(status: number, code: string, message = 'said by the store'): RefusalCase['answer'] {
  const headers = { 'content-type': 'application/xml' };
  const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message><AWSAccessKeyId>test-access-key</AWSAccessKeyId><StringToSign>AWS4-HMAC-SHA256 x</StringToSign></Error>`;
  return { status, headers, body };
}

const refusals: readonly RefusalCase[] = [
  { title: '503 SlowDown', answer: xml(503, 'SlowDown'), code: 'Throttled', retryable: true },
  { title: 'expired credentials', answer: xml(400, 'ExpiredToken'), code: 'Expired', retryable: false },
  { title: 'access denied', answer: xml(403, 'AccessDenied'), code: 'Denied', retryable: false },
  { title: 'a bucket that is gone', answer: xml(404, 'NoSuchBucket'), code: 'BucketMissing', retryable: false },
  { title: 'a clock that is wrong', answer: xml(403, 'RequestTimeTooSkewed'), code: 'ClockSkew', retryable: true },
  { title: 'a wrong checksum', answer: xml(400, 'BadDigest'), code: 'ChecksumMismatch', retryable: true },
  { title: 'a redirect', answer: xml(301, 'PermanentRedirect'), code: 'Configuration', retryable: false },
  { title: 'a full store', answer: xml(507, 'XMinioStorageFull'), code: 'NoSpace', retryable: false },
];

testFaults(async () => {
  const server = await startVersitygw();
  const proxy = await FaultProxy.start(server.port);
  const { bucket, region, accessKeyId, secretAccessKey } = server;
  const open = (port: number) =>
    openS3(
      {
        bucket,
        endpoint: `http://127.0.0.1:${port}`,
        region,
        forcePathStyle: true,
        credentials: { kind: 'keys', accessKeyId, secretAccessKey },
        policy: { allowLocal: true },
        partBytes,
      },
      { retry: quickRetries },
    );
  const store = await open(proxy.port);
  const direct = await open(server.port);
  return {
    proxy,
    store,
    direct,
    partBytes,
    leftovers: server.unfinished,
    secrets: [secretAccessKey],
    isPart,
    isFinish,
    checks: 'parts',
    close: async () => {
      store.close();
      direct.close();
      await proxy.stop();
      await server.stop();
    },
  };
}, refusals);
