// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createClient, endpoints, pods, services, type TransportResponse } from '@operator-parts/kube';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ApiServer, createApiServer } from '../../server/api-server.ts';

/** A program in a pod: prints the requests that it gets. */
let program: Server;
let server: ApiServer;
const dialled: string[] = [];

beforeEach(async () => {
  program = createServer((request, response) => {
    if (request.url === '/away') return void response.writeHead(302, { location: '/home' }).end();
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { authorization, host } = request.headers;
      const asked = { method: request.method, url: request.url, body: Buffer.concat(pieces).toString('utf8') };
      response.writeHead(201, { 'content-type': 'application/json', 'x-own': 'yes' });
      response.end(JSON.stringify({ ...asked, host, authorization, uri: request.headers['x-forwarded-uri'] }));
    });
  });
  program.listen(0, '127.0.0.1');
  await once(program, 'listening');
  const { port } = program.address() as AddressInfo;
  dialled.length = 0;
  server = createApiServer({
    dialService: async (host, asked) => {
      dialled.push(`${host}:${asked}`);
      if (asked === 1) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    },
  });
  const client = createClient(server.transport());
  const metadata = { namespace: 'default', name: 'p' };
  const containers = [{ name: 'a', image: 'a', ports: [{ containerPort: 8080 }] }];
  await client.resource(pods).create({ metadata, spec: { containers, nodeName: 'n' } });
  const status = { podIP: '10.244.1.2', podIPs: [{ ip: '10.244.1.2' }] };
  await client.resource(pods).status.patch(metadata, { type: 'merge', patch: { status } });
  await client.resource(services).create({
    metadata: { namespace: 'default', name: 's' },
    spec: { ports: [{ name: 'web', port: 80, targetPort: 8080 }] },
  });
  await client.resource(endpoints).create({
    metadata: { namespace: 'default', name: 's' },
    subsets: [{ addresses: [{ ip: '10.244.1.3' }], ports: [{ name: 'web', port: 8080 }] }],
  });
});

afterEach(async () => {
  await server.close();
  program.close();
});

const base = '/api/v1/namespaces/default';

function ask(path: string, body?: string): Promise<TransportResponse> {
  const headers = { authorization: 'Bearer secret', 'content-type': 'text/plain' };
  return server
    .transport()
    .request({ method: body === undefined ? 'GET' : 'POST', path, headers, ...(body && { body }) });
}

async function textOf(response: TransportResponse): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of response.body) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

test('a request goes to the port of the pod with its path, query and body, and the answer is returned', async () => {
  const response = await ask(`${base}/pods/p/proxy/a%20b/?c=d&c=e`, 'hello');
  expect(response.status).toBe(201);
  expect(response.headers).toMatchObject({ 'content-type': 'application/json', 'x-own': 'yes' });
  expect(JSON.parse(await textOf(response))).toEqual({
    method: 'POST',
    url: '/a%20b/?c=d&c=e',
    body: 'hello',
    host: '10.244.1.2:8080',
    uri: `${base}/pods/p/proxy/a%20b/`,
  });
  await ask(`${base}/pods/p:9090/proxy/`);
  expect(dialled).toEqual(['10.244.1.2:8080', '10.244.1.2:9090']);
});

test('a request to a Service goes to one of its endpoints, by the name or the number of the port', async () => {
  for (const name of ['s:web', 's:80', 'http:s:80']) {
    expect(JSON.parse(await textOf(await ask(`${base}/services/${name}/proxy/x`)))).toMatchObject({ url: '/x' });
  }
  expect(new Set(dialled)).toEqual(new Set(['10.244.1.3:8080']));
  const refused = await ask(`${base}/services/s:other/proxy/x`);
  expect(JSON.parse(await textOf(refused))).toMatchObject({
    code: 503,
    message: 'no endpoints available for service "s:other"',
  });
});

test('addresses in answers lead back through the proxy', async () => {
  expect(await ask(`${base}/pods/p/proxy?x=y`)).toMatchObject({
    status: 301,
    headers: { location: `${base}/pods/p/proxy/?x=y` },
  });
  expect(await ask(`${base}/pods/p/proxy/away`)).toMatchObject({
    status: 302,
    headers: { location: `${base}/pods/p/proxy/home` },
  });
});

test('who is not there, and what the proxy cannot do, is said in a Status', async () => {
  const messageOf = async (path: string) => JSON.parse(await textOf(await ask(path))) as object;
  expect(await messageOf(`${base}/pods/p:1/proxy/`)).toMatchObject({
    code: 503,
    reason: 'ServiceUnavailable',
    message: 'error trying to reach service: dial tcp 10.244.1.2:1: connect: connection refused',
  });
  expect(await messageOf('/api/v1/nodes/nope/proxy/healthz')).toMatchObject({ code: 404 });
  const upgrade = server.transport().connect({ path: `${base}/pods/p/proxy/ws`, protocols: ['v5.channel.k8s.io'] });
  await expect(upgrade).rejects.toThrow('this server does not proxy upgraded connections; use port-forward of the pod');
});
