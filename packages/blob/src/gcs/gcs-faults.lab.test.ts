// SPDX-License-Identifier: Apache-2.0
import { startFakeGcsServer } from '../testing/fake-gcs-server.ts';
import { type Answer, FaultProxy, type ProxiedRequest, type ProxyHooks } from '../testing/fault-proxy.ts';
import { quickRetries, type RefusalCase, testFaults } from '../testing/fault-suite.ts';
import { openGcs } from './open-gcs.ts';

const partBytes = 256 * 1024;

function isPart({ method, headers }: ProxiedRequest): boolean {
  return method === 'PUT' && /^bytes \d/.test(headers['content-range'] ?? '');
}

function isFinish({ method, headers }: ProxiedRequest): boolean {
  return method === 'PUT' && /^bytes \d.*\/\d+$/.test(headers['content-range'] ?? '');
}

function json(status: number, reason: string, message = 'said by the store'): Answer {
  const headers = { 'content-type': 'application/json' };
  return { status, headers, body: JSON.stringify({ error: { code: status, message, errors: [{ reason }] } }) };
}

const refusals: readonly RefusalCase[] = [
  { title: '429', answer: json(429, 'rateLimitExceeded'), code: 'Throttled', retryable: true },
  { title: '403 for the rate', answer: json(403, 'userRateLimitExceeded'), code: 'Throttled', retryable: true },
  { title: 'a token that has expired', answer: json(401, 'authError'), code: 'Expired', retryable: false },
  { title: 'access denied', answer: json(403, 'forbidden'), code: 'Denied', retryable: false },
  {
    title: 'a bucket that is gone',
    answer: json(404, 'notFound', 'The specified bucket does not exist.'),
    code: 'BucketMissing',
    retryable: false,
  },
  {
    title: 'a wrong checksum',
    answer: json(400, 'invalid', 'Provided MD5 hash does not match calculated MD5 hash.'),
    code: 'ChecksumMismatch',
    retryable: true,
  },
  { title: 'a session that is lost', answer: json(410, 'gone'), code: 'Unavailable', retryable: true },
];

/**
 * Asked how much of an upload it has, Google tells. fake-gcs-server takes the question for the end of the upload instead, so that the proxy
 * answers it, from what it has seen of the server's answers.
 */
function answeringStatus(): ProxyHooks {
  const sessions = new Map<string, Answer>();
  const session = (url: string) => new URL(url, 'http://x').searchParams.get('upload_id') ?? '';
  const isUpload = ({ method, url }: ProxiedRequest) => method === 'PUT' && session(url) !== '';
  return {
    before: (request) => {
      if (!isUpload(request) || request.headers['content-range'] !== 'bytes */*') return undefined;
      return sessions.get(session(request.url)) ?? { status: 308 };
    },
    after: (request, answer) => {
      if (!isUpload(request) || answer.status >= 400) return;
      const { range } = answer.headers ?? {};
      sessions.set(session(request.url), {
        status: answer.status,
        ...(range === undefined ? {} : { headers: { range } }),
        ...(answer.body === undefined || answer.status === 308 ? {} : { body: answer.body }),
      });
    },
  };
}

testFaults(async () => {
  const server = await startFakeGcsServer();
  const proxy = await FaultProxy.start(server.port, answeringStatus());
  const { bucket, accessToken } = server;
  const open = (port: number) =>
    openGcs(
      {
        bucket,
        endpoint: `http://127.0.0.1:${port}`,
        credentials: { kind: 'token', accessToken },
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
    leftovers: async () => [],
    secrets: [accessToken],
    isPart,
    isFinish,
    checks: 'objects',
    close: async () => {
      store.close();
      direct.close();
      await proxy.stop();
      await server.stop();
    },
  };
}, refusals);
