// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { BlobStore } from '../blob-store.ts';
import { openStore } from '../open-store.ts';
import type { S3Credentials } from '../s3/s3-options.ts';
import type { StoreSettings } from '../store.ts';
import { bytesOf, chunked, collect } from '../testing/bodies.ts';
import { testdata } from '../testing/testdata.ts';
import { type S3Server, startVersitygw } from '../testing/versitygw.ts';
import type { EndpointPolicy } from './endpoint-policy.ts';
import { proxyOf } from './proxy.ts';

const partBytes = 5 * 1024 * 1024;
const ca = readFileSync(testdata('ca.pem'), 'utf8');
let s3: S3Server;
let proxy: Server;
let asked: { readonly target: string; readonly login: string | undefined }[];
let answer: string;

beforeAll(async () => {
  s3 = await startVersitygw({ tls: true });
  proxy = createServer();
  // The proxy resolves all names to the store; the client cannot resolve them.
  proxy.on('connect', ({ url = '', headers }, socket) => {
    asked.push({ target: url, login: headers['proxy-authorization'] });
    socket.on('error', () => undefined);
    if (answer !== '200 OK') {
      socket.end(`HTTP/1.1 ${answer}\r\n\r\n`);
      return;
    }
    const store = connect(s3.port, '127.0.0.1', () => {
      socket.write(`HTTP/1.1 ${answer}\r\n\r\n`);
      socket.pipe(store).pipe(socket);
    });
    store.on('error', () => socket.destroy());
    socket.on('close', () => store.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
}, 60_000);
afterAll(async () => {
  proxy?.close();
  await s3?.stop();
});
beforeEach(() => {
  asked = [];
  answer = '200 OK';
});

function open(
  noProxy = '',
  policy: EndpointPolicy = {},
  settings: StoreSettings = {},
  credentials: S3Credentials = { kind: 'keys', accessKeyId: s3.accessKeyId, secretAccessKey: s3.secretAccessKey },
): Promise<BlobStore> {
  const { bucket, region } = s3;
  const { port } = proxy.address() as AddressInfo;
  const env = { HTTPS_PROXY: `http://me:p%40ss@127.0.0.1:${port}`, NO_PROXY: noProxy };
  const found = proxyOf(env);
  const unknown = async () => Promise.reject(new Error('ENOTFOUND'));
  return openStore(
    {
      ...{ kind: 's3', bucket, region, partBytes, forcePathStyle: true, caCertificates: ca },
      endpoint: `https://${s3.virtualDomain}:${s3.port}`,
      credentials,
      policy: { allowLocal: true, resolve: unknown, ...(found && { proxy: found }), ...policy },
    },
    { retry: { attempts: 1 }, ...settings },
  );
}

test('a store whose name only the proxy knows is written and read through it, over TLS from end to end', async () => {
  const store = await open();
  await store.put('k', chunked(bytesOf(partBytes + 1)));
  expect((await collect(store.get('k'))).byteLength).toBe(partBytes + 1);
  const login = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
  expect(asked).not.toEqual([]);
  for (const one of asked) expect(one).toEqual({ target: `${s3.virtualDomain}:${s3.port}`, login });
  expect(await store.presign('k', { expiresIn: 600 })).toBeUndefined();
  store.close();
});

test('a role in AWS is asked for through it as well', async () => {
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) vi.stubEnv(name, undefined);
  const credentials = '[base]\naws_access_key_id=AKIABASE\naws_secret_access_key=MARKER-base-secret\n';
  const config = '[default]\nregion=us-east-1\nrole_arn=arn:aws:iam::123456789012:role/backup\nsource_profile=base\n';
  const store = await open('', {}, {}, { kind: 'files', credentials, config });
  // This proxy leads to the store, whose certificate is not that of AWS: nothing was said to it.
  await expect(store.put('k', chunked(bytesOf(10)))).rejects.toThrow('sts.us-east-1.amazonaws.com');
  expect(new Set(asked.map(({ target }) => target))).toEqual(new Set(['sts.us-east-1.amazonaws.com:443']));
  store.close();
  vi.unstubAllEnvs();
});

test('a host that NO_PROXY names is connected to directly', async () => {
  const store = await open(s3.virtualDomain, { resolve: async () => ['127.0.0.1'] });
  await store.put('direct', chunked(bytesOf(10)));
  expect(asked).toEqual([]);
  expect(await store.presign('direct', { expiresIn: 600 })).toBeDefined();
  store.close();
});

test.each([
  ['a metadata service', '169.254.169.254'],
  ['a denied address', '10.0.0.1'],
])('a name that this machine knows to lead to %s does not reach the proxy', async (_title, address) => {
  const store = await open('', { allowLocal: false, deny: ['10.0.0.1'], resolve: async () => [address] });
  await expect(store.put('k', chunked(bytesOf(10)))).rejects.toMatchObject({ code: 'Configuration' });
  expect(asked).toEqual([]);
  store.close();
});

test.each(['407 Proxy Authentication Required', '403 Forbidden', '502 Bad Gateway'])(
  'a proxy that answers %s is named, its password is not',
  async (says) => {
    answer = says;
    const store = await open();
    const error: unknown = await store.put('k', chunked(bytesOf(10))).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'Unavailable', message: expect.stringContaining(says) });
    expect(error).toMatchObject({
      message: expect.stringMatching(/the proxy 127\.0\.0\.1:\d+ \(HTTPS_PROXY\) refused/),
    });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('p@ss');
    store.close();
  },
);

test('nothing is sent through it once the fence refuses', async () => {
  let isHeld = true;
  const fence = () => {
    if (!isHeld) throw new Error('the lease is lost');
  };
  const store = await open('', {}, { fence });
  await store.put('fenced', chunked(bytesOf(10)));
  isHeld = false;
  await expect(store.put('fenced-2', chunked(bytesOf(10)))).rejects.toThrow('the lease is lost');
  isHeld = true;
  await expect(store.stat('fenced-2')).rejects.toMatchObject({ code: 'NotFound' });
  store.close();
});
