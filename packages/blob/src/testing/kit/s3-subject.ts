// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import type { BlobStore } from '../../blob-store.ts';
import { mebibyte } from '../../write/part-sizes.ts';
import { type Answer, FaultProxy, type ProxiedRequest } from '../fault-proxy.ts';
import { testdata } from '../testdata.ts';
import { type S3Server, startVersitygw } from '../versitygw.ts';
import type { KitSubject, Refusal, RequestKind } from './kit-subject.ts';

const partBytes = 5 * mebibyte;

/** The address of the server: through a proxy that terminates TLS, or directly. */
interface ServerUrl {
  readonly endpoint: string;
  readonly caCertificates: string;
}

type OpenAt = (server: S3Server, url: (host: string) => ServerUrl, partBytes: number) => Promise<BlobStore>;

/** versitygw behind a proxy with TLS, where parts are sent without their hash in the signature. */
export async function s3Subject(openAt: OpenAt): Promise<KitSubject> {
  const server = await startVersitygw();
  const proxy = await FaultProxy.start(server.port, { tls: true });
  const caCertificates = readFileSync(testdata('ca.pem'), 'utf8');
  const open = () =>
    openAt(server, (host) => ({ endpoint: `https://${host}:${proxy.port}`, caCertificates }), partBytes);
  const endpoint = (host: string) => ({ endpoint: `http://${host}:${server.port}`, caCertificates });
  const direct = await openAt(server, endpoint, partBytes);
  return {
    proxy,
    open,
    direct,
    partBytes,
    leftovers: server.unfinished,
    secrets: [server.secretAccessKey],
    kindOf,
    checks: 'parts',
    looksApart: true,
    boundsReads: true,
    withoutChecksums: ({ headers }) => {
      const isKnown = !Object.keys(headers).some((name) => name.startsWith('x-amz-checksum-'));
      return isKnown ? undefined : { kind: 'answer', answer: xml(501, 'NotImplemented') };
    },
    continued: (page) =>
      page
        .replace(/<IsTruncated>\w+<\/IsTruncated>/, '<IsTruncated>true</IsTruncated>')
        .replace('</ListBucketResult>', '<NextContinuationToken>more</NextContinuationToken></ListBucketResult>'),
    refusals,
    expired: xml(400, 'ExpiredToken'),
    close: async () => {
      direct.close();
      await proxy.stop();
      await server.stop();
    },
  };
}

function kindOf({ method, url }: ProxiedRequest): RequestKind {
  const { searchParams: query } = new URL(url, 'http://store');
  if (method === 'PUT') return query.has('partNumber') ? 'part' : 'whole';
  if (method === 'POST') return query.has('uploadId') ? 'finish' : 'other';
  if (query.has('uploadId') || query.has('uploads')) return 'other';
  if (method === 'GET') return query.has('list-type') ? 'list' : 'read';
  return method === 'HEAD' ? 'look' : 'delete';
}

function xml(status: number, code: string): Answer {
  const headers = { 'content-type': 'application/xml' };
  const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>said by the store</Message><AWSAccessKeyId>test-access-key</AWSAccessKeyId><StringToSign>AWS4-HMAC-SHA256 x</StringToSign></Error>`;
  return { status, headers, body };
}

const refusals: readonly Refusal[] = [
  { title: '503 SlowDown', answer: xml(503, 'SlowDown'), code: 'Throttled', retryable: true },
  { title: 'access denied', answer: xml(403, 'AccessDenied'), code: 'Denied', retryable: false },
  { title: 'a bucket that is gone', answer: xml(404, 'NoSuchBucket'), code: 'BucketMissing', retryable: false },
  { title: 'a clock that is wrong', answer: xml(403, 'RequestTimeTooSkewed'), code: 'ClockSkew', retryable: true },
  { title: 'a wrong checksum', answer: xml(400, 'BadDigest'), code: 'ChecksumMismatch', retryable: true },
  { title: 'another region', answer: xml(301, 'PermanentRedirect'), code: 'Configuration', retryable: false },
  { title: 'a full store', answer: xml(507, 'XMinioStorageFull'), code: 'NoSpace', retryable: false },
];
