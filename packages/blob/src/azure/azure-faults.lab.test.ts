// SPDX-License-Identifier: Apache-2.0
import { startAzurite } from '../testing/azurite.ts';
import { FaultProxy, type ProxiedRequest } from '../testing/fault-proxy.ts';
import { quickRetries, type RefusalCase, testFaults } from '../testing/fault-suite.ts';
import { openAzure } from './open-azure.ts';

const partBytes = 64 * 1024;

function isPart({ method, url }: ProxiedRequest): boolean {
  return method === 'PUT' && /comp=block(&|$)/.test(url);
}

function isFinish({ method, url }: ProxiedRequest): boolean {
  return method === 'PUT' && url.includes('comp=blocklist');
}

function xml(status: number, code: string, detail = ''): RefusalCase['answer'] {
  const headers = { 'content-type': 'application/xml', 'x-ms-error-code': code };
  const body = `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>said by the store\nRequestId:1</Message>${detail}</Error>`;
  return { status, headers, body };
}

const tooOld =
  '<AuthenticationErrorDetail>Request date header too old: &apos;Sun, 15 Nov 2026 08:00:00 GMT&apos;</AuthenticationErrorDetail>';

const refusals: readonly RefusalCase[] = [
  { title: '503 ServerBusy', answer: xml(503, 'ServerBusy'), code: 'Throttled', retryable: true },
  {
    title: 'a token that has expired',
    answer: xml(401, 'InvalidAuthenticationInfo'),
    code: 'Expired',
    retryable: false,
  },
  { title: 'access denied', answer: xml(403, 'AuthorizationFailure'), code: 'Denied', retryable: false },
  { title: 'a container that is gone', answer: xml(404, 'ContainerNotFound'), code: 'BucketMissing', retryable: false },
  {
    title: 'a clock that is wrong',
    answer: xml(403, 'AuthenticationFailed', tooOld),
    code: 'ClockSkew',
    retryable: true,
  },
  { title: 'a wrong checksum', answer: xml(400, 'Md5Mismatch'), code: 'ChecksumMismatch', retryable: true },
  { title: 'a server that took too long', answer: xml(500, 'OperationTimedOut'), code: 'Timeout', retryable: true },
];

testFaults(async () => {
  const server = await startAzurite();
  const proxy = await FaultProxy.start(server.port);
  const { account, accountKey, container } = server;
  const open = (port: number) =>
    openAzure(
      {
        account,
        container,
        endpoint: `http://127.0.0.1:${port}/${account}`,
        credentials: { kind: 'key', accountKey },
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
    secrets: [accountKey],
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
