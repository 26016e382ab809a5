// SPDX-License-Identifier: Apache-2.0
import { startFakeGcsServer } from '../testing/fake-gcs-server.ts';
import {
  type Answer,
  type Answered,
  FaultProxy,
  type ProxiedRequest,
  type ProxyOptions,
} from '../testing/fault-proxy.ts';
import { testFaults } from '../testing/kit/fault-kit.ts';
import { quickRetries, type Refusal, type RequestKind } from '../testing/kit/kit-subject.ts';
import { openGcs } from './open-gcs.ts';

const partBytes = 256 * 1024;

function kindOf({ method, url, headers }: ProxiedRequest): RequestKind {
  const { pathname, searchParams: query } = new URL(url, 'http://store');
  const range = headers['content-range'] ?? '';
  if (method === 'PUT' && /^bytes \d/.test(range)) return range.endsWith('/*') ? 'part' : 'finish';
  if (method === 'POST') return query.get('uploadType') === 'multipart' ? 'whole' : 'other';
  if (method === 'DELETE') return pathname.startsWith('/upload') ? 'other' : 'delete';
  if (method !== 'GET') return 'other';
  if (pathname.endsWith('/o')) return 'list';
  return query.get('alt') === 'media' ? 'read' : 'look';
}

function json(status: number, reason: string, message = 'said by the backup store'): Answer {
  const headers = { 'content-type': 'application/json' };
  return { status, headers, body: JSON.stringify({ error: { code: status, message, errors: [{ reason }] } }) };
}

const missing = json(404, 'notFound', 'The specified bucket does not exist.');
const mismatch = json(400, 'invalid', 'Provided MD5 hash does not match calculated MD5 hash.');

const refusals: readonly Refusal[] = [
  { title: '429', answer: json(429, 'rateLimitExceeded'), code: 'Throttled', retryable: true },
  { title: '403 for the rate', answer: json(403, 'userRateLimitExceeded'), code: 'Throttled', retryable: true },
  { title: 'access denied', answer: json(403, 'forbidden'), code: 'Denied', retryable: false },
  { title: 'a bucket that is gone', answer: missing, code: 'BucketMissing', retryable: false },
  { title: 'a wrong checksum', answer: mismatch, code: 'ChecksumMismatch', retryable: true },
  { title: 'a session that is lost', answer: json(410, 'gone'), code: 'Unavailable', retryable: true },
];

/**
 * Google reports how much of an upload it has. fake-gcs-server treats the query as the end of the upload, so the proxy
 * answers it from the server's previous answers.
 */
function answeringStatus(): ProxyOptions {
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
      const { range } = answer.headers;
      sessions.set(session(request.url), {
        status: answer.status,
        ...(range === undefined ? {} : { headers: { range } }),
        ...(answer.status === 308 ? {} : { body: answer.body }),
      });
    },
  };
}

testFaults('GCS', async () => {
  const server = await startFakeGcsServer();
  const proxy = await FaultProxy.start(server.port, answeringStatus());
  const { bucket, accessToken } = server;
  const openAt = (port: number) => {
    const endpoint = `http://127.0.0.1:${port}`;
    const credentials = { kind: 'token', accessToken } as const;
    return openGcs({ bucket, endpoint, credentials, policy: { allowLocal: true }, partBytes }, { retry: quickRetries });
  };
  const direct = await openAt(server.port);
  return {
    proxy,
    open: () => openAt(proxy.port),
    direct,
    partBytes,
    leftovers: async () => [],
    secrets: [accessToken],
    kindOf,
    checks: 'objects',
    looksApart: false,
    boundsReads: true,
    withoutChecksums: ({ method }) => {
      if (method === 'GET') return undefined;
      const alter = (answer: Answered) => ({
        ...answer,
        body: answer.body.toString().replace(/"md5Hash": ?"[^"]*",?/, ''),
      });
      return { kind: 'alter', alter };
    },
    continued: (page) => JSON.stringify({ ...JSON.parse(page), nextPageToken: 'more' }),
    refusals,
    expired: json(401, 'authError'),
    close: async () => {
      direct.close();
      await proxy.stop();
      await server.stop();
    },
  };
});
