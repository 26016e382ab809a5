// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { TestAuthority } from '@etcd-operator/tools';
import { VirtualClock } from '@operator-parts/ports';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createClient } from './client/create-client.ts';
import type { ClusterConfig } from './config/cluster-config.ts';
import { type ConnectOptions, connect } from './connect.ts';
import type { Resource } from './resource.ts';
import { type LocalServer, startServer } from './testing/local-server.ts';

/** Long limits: thousands of runs or real connections on a possibly busy machine. */
vi.setConfig({ testTimeout: 120_000 });

const nodes: Resource = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };
const authority = await TestAuthority.create();
const pair = await authority.server('127.0.0.1');
const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});

/** A server that answers with the client's identity. `refuse` makes it answer 401. */
async function serve(options: { tls?: boolean; refuse?: (authorization: string | undefined) => boolean } = {}) {
  const seen: string[][] = [];
  const server = await startServer(
    (request, response) => {
      seen.push(request.rawHeaders.map((text, index) => (index % 2 ? text : text.toLowerCase())));
      const { authorization } = request.headers;
      const status = options.refuse?.(authorization) ? 401 : 200;
      response.writeHead(status).end(JSON.stringify({ authorization, user: commonName(request) }));
    },
    options.tls === false ? undefined : { ...pair, ca: authority.ca, requestCert: true, rejectUnauthorized: false },
  );
  cleanUp.push(() => server.close());
  return { server, seen };
}

function commonName({ socket }: IncomingMessage): string | undefined {
  return (socket as Socket & { getPeerCertificate?: () => { subject?: { CN?: string } } }).getPeerCertificate?.()
    .subject?.CN;
}

function configFor(server: LocalServer, config: Partial<ClusterConfig> = {}): ClusterConfig {
  return {
    server: server.url,
    namespace: 'default',
    certificateAuthority: { kind: 'data', pem: authority.ca },
    credential: { kind: 'none' },
    source: 'test',
    ...config,
  };
}

function clientFor(config: ClusterConfig, options: ConnectOptions = {}) {
  const transport = connect(config, options);
  cleanUp.push(() => transport.close());
  return createClient(transport).resource(nodes);
}

const whoAmI = (client: ReturnType<typeof clientFor>) => client.get({ name: 'n' }) as Promise<unknown>;

describe('a configured transport', () => {
  test('sends a token, basic credentials or a client certificate', async () => {
    const { server } = await serve();
    const token = clientFor(configFor(server, { credential: { kind: 'token', token: 't' } }));
    expect(await whoAmI(token)).toEqual({ authorization: 'Bearer t' });
    const basic = clientFor(configFor(server, { credential: { kind: 'basic', username: 'ä', password: 'b' } }));
    expect(await whoAmI(basic)).toEqual({ authorization: `Basic ${Buffer.from('ä:b').toString('base64')}` });
    const { cert, key } = await authority.client('alice');
    const certificate = clientFor(
      configFor(server, { clientCertificate: { kind: 'data', pem: cert }, clientKey: { kind: 'data', pem: key } }),
    );
    expect(await whoAmI(certificate)).toEqual({ user: 'alice' });
  });

  test('sends no secret without TLS', async () => {
    const { server, seen } = await serve({ tls: false });
    await whoAmI(clientFor(configFor(server, { credential: { kind: 'token', token: 'secret' } })));
    expect(JSON.stringify(seen)).not.toContain('secret');
  });

  test('impersonates, each group in a separate line', async () => {
    const { server, seen } = await serve();
    const impersonate = { user: 'bob', uid: '7', groups: ['a', 'b'], extra: { 'x/Y': ['1', '2'] } };
    await whoAmI(clientFor(configFor(server, { impersonate })));
    const lines = (seen[0] ?? []).flatMap((text, index, all) => (index % 2 ? [] : [`${text}: ${all[index + 1]}`]));
    expect(lines).toEqual(
      expect.arrayContaining([
        'impersonate-user: bob',
        'impersonate-uid: 7',
        'impersonate-group: a',
        'impersonate-group: b',
        'impersonate-extra-x%2fy: 1',
        'impersonate-extra-x%2fy: 2',
      ]),
    );
  });

  test('follows a rotated token file, at once after a refusal', async () => {
    const accepted = { token: 'one' };
    const { server } = await serve({ refuse: (authorization) => authorization !== `Bearer ${accepted.token}` });
    const clock = new VirtualClock();
    const files = { token: 'one\n' };
    const client = clientFor(configFor(server, { credential: { kind: 'token-file', path: '/token' } }), {
      clock,
      readFile: async () => files.token,
    });
    expect(await whoAmI(client)).toEqual({ authorization: 'Bearer one' });
    files.token = 'two\n';
    accepted.token = 'two';
    await expect(whoAmI(client)).rejects.toMatchObject({ code: 'Unauthorized' });
    expect(await whoAmI(client)).toEqual({ authorization: 'Bearer two' });
    files.token = 'three\n';
    accepted.token = 'three';
    await clock.advance(60_000);
    expect(await whoAmI(client)).toEqual({ authorization: 'Bearer three' });
  });

  test('follows a rotated authority after a failure', async () => {
    const { server } = await serve();
    const files = { ca: (await TestAuthority.create('old')).ca };
    const config = configFor(server, { certificateAuthority: { kind: 'file', path: '/ca' } });
    const client = clientFor(config, { clock: new VirtualClock(), readFile: async () => files.ca });
    await expect(whoAmI(client)).rejects.toMatchObject({ code: 'ConnectionRefused' });
    files.ca = authority.ca;
    expect(await whoAmI(client)).toEqual({});
  });

  test('shows a client certificate that was rotated, while a watch with the old one goes on', async () => {
    const opened = Promise.withResolvers<(text: string) => void>();
    const server = await startServer(
      (request, response) => {
        if (request.url?.includes('watch')) opened.resolve((text) => response.write(text));
        else response.end(JSON.stringify({ user: commonName(request) }));
      },
      { ...pair, ca: authority.ca, requestCert: true, rejectUnauthorized: false },
    );
    cleanUp.push(() => server.close());
    const clock = new VirtualClock();
    let { cert, key } = await authority.client('old');
    const clientCertificate = { kind: 'file', path: '/cert' } as const;
    const clientKey = { kind: 'file', path: '/key' } as const;
    const client = clientFor(configFor(server, { clientCertificate, clientKey }), {
      clock,
      readFile: async (path) => (path === '/cert' ? cert : key),
    });
    expect(await whoAmI(client)).toEqual({ user: 'old' });
    const events = client.watch()[Symbol.asyncIterator]();
    const event = `${JSON.stringify({ type: 'ADDED', object: { metadata: { name: 'n', resourceVersion: '1' } } })}\n`;
    const first = events.next();
    const write = await opened.promise;
    write(event);
    expect(await first).toMatchObject({ value: { type: 'ADDED' } });
    ({ cert, key } = await authority.client('new'));
    await clock.advance(120_000);
    await vi.waitFor(async () => expect(await whoAmI(client)).toEqual({ user: 'new' }));
    write(event);
    expect(await events.next()).toMatchObject({ value: { type: 'ADDED' } });
    await events.return?.();
  });

  test('asks an exec plugin, for a token or a certificate', async () => {
    const { server } = await serve();
    const apiVersion = 'client.authentication.k8s.io/v1';
    const plugin = { apiVersion, command: 'login', args: [], env: {}, provideClusterInfo: false } as const;
    const { cert, key } = await authority.client('carol');
    const status = { token: 'x', clientCertificateData: cert, clientKeyData: key };
    const client = clientFor(configFor(server, { credential: { kind: 'exec', plugin } }), {
      runProgram: async () => JSON.stringify({ apiVersion, kind: 'ExecCredential', status }),
    });
    expect(await whoAmI(client)).toEqual({ authorization: 'Bearer x', user: 'carol' });
  });

  test('does not wait for an exec plugin longer than its caller', async () => {
    const { server } = await serve();
    const apiVersion = 'client.authentication.k8s.io/v1';
    const plugin = { apiVersion, command: 'login', args: [], env: {}, provideClusterInfo: false } as const;
    const stop = new AbortController();
    const client = clientFor(configFor(server, { credential: { kind: 'exec', plugin } }), {
      runProgram: () => {
        stop.abort();
        return new Promise<string>(() => undefined);
      },
    });
    const asked = client.get({ name: 'n' }, { signal: stop.signal });
    await expect(asked).rejects.toMatchObject({ code: 'Aborted' });
  });

  test('a token that cannot be sent is an error of the configuration that does not quote it', async () => {
    const { server } = await serve();
    const client = clientFor(configFor(server, { credential: { kind: 'token', token: 'secret\nsecret' } }));
    const error = await whoAmI(client).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'Configuration' });
    expect(String(error)).toContain('test: the token contains invalid characters');
    expect(String(error)).not.toContain('secret');
  });

  test('says which file is missing', async () => {
    const { server } = await serve();
    const client = clientFor(configFor(server, { credential: { kind: 'token-file', path: '/nowhere/token' } }));
    await expect(whoAmI(client)).rejects.toMatchObject({
      code: 'Configuration',
      message: expect.stringContaining('test: cannot read /nowhere/token') as string,
    });
    const empty = clientFor(configFor(server, { credential: { kind: 'token-file', path: '/t' } }), {
      readFile: async () => ' ',
    });
    await expect(whoAmI(empty)).rejects.toThrow('the token file /t is empty');
  });
});
