// SPDX-License-Identifier: Apache-2.0
import { startAzurite } from '../testing/azurite.ts';
import { type Answer, FaultProxy, type ProxiedRequest } from '../testing/fault-proxy.ts';
import { testFaults } from '../testing/kit/fault-kit.ts';
import { quickRetries, type Refusal, type RequestKind } from '../testing/kit/kit-subject.ts';
import { openAzure } from './open-azure.ts';

const partBytes = 64 * 1024;

function kindOf({ method, url }: ProxiedRequest): RequestKind {
  const comp = new URL(url, 'http://store').searchParams.get('comp');
  if (method === 'PUT') return comp === 'block' ? 'part' : comp === 'blocklist' ? 'finish' : 'whole';
  if (method === 'GET') return comp === 'list' ? 'list' : 'read';
  return method === 'HEAD' ? 'look' : 'delete';
}

function xml(status: number, code: string, detail = ''): Answer {
  const headers = { 'content-type': 'application/xml', 'x-ms-error-code': code };
  const body = `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>said by the backup store\nRequestId:1</Message>${detail}</Error>`;
  return { status, headers, body };
}

const tooOld =
  '<AuthenticationErrorDetail>Request date header too old: &apos;Sun, 15 Nov 2026 08:00:00 GMT&apos;</AuthenticationErrorDetail>';

const refusals: readonly Refusal[] = [
  { title: '503 ServerBusy', answer: xml(503, 'ServerBusy'), code: 'Throttled', retryable: true },
  { title: 'denied', answer: xml(403, 'AuthorizationFailure'), code: 'Denied', retryable: false },
  { title: 'no container', answer: xml(404, 'ContainerNotFound'), code: 'BucketMissing', retryable: false },
  { title: 'clock', answer: xml(403, 'AuthenticationFailed', tooOld), code: 'ClockSkew', retryable: true },
  { title: 'checksum', answer: xml(400, 'Md5Mismatch'), code: 'ChecksumMismatch', retryable: true },
  { title: 'took too long', answer: xml(500, 'OperationTimedOut'), code: 'Timeout', retryable: true },
];

testFaults('Azure', async () => {
  const server = await startAzurite();
  const proxy = await FaultProxy.start(server.port);
  const { account, accountKey, container } = server;
  const openAt = (port: number) => {
    const endpoint = `http://127.0.0.1:${port}/${account}`;
    const credentials = { kind: 'key', accountKey } as const;
    const options = { account, container, endpoint, credentials, policy: { allowLocal: true }, partBytes };
    return openAzure(options, { retry: quickRetries });
  };
  const direct = await openAt(server.port);
  return {
    proxy,
    open: () => openAt(proxy.port),
    direct,
    partBytes,
    leftovers: async () => [],
    secrets: [accountKey],
    kindOf,
    checks: 'parts',
    looksApart: true,
    boundsReads: false,
    withoutChecksums: ({ method }) => {
      if (method !== 'PUT') return undefined;
      return {
        kind: 'alter',
        alter: ({ headers: { 'content-md5': _, ...headers }, ...answer }) => ({ ...answer, headers }),
      };
    },
    continued: (page) =>
      page.replace(/<NextMarker\s*\/>|<NextMarker>.*<\/NextMarker>/, '<NextMarker>more</NextMarker>'),
    refusals,
    expired: xml(401, 'InvalidAuthenticationInfo'),
    close: async () => {
      direct.close();
      await proxy.stop();
      await server.stop();
    },
  };
});
