// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { selfSignedCertificate } from '@etcd-operator/tools';
import { createLogger, type LogRecord, systemClock, VirtualClock } from '@operator-parts/ports';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createManager } from '../manager/manager.ts';
import { MetricRegistry } from '../metrics/registry.ts';
import { ScriptedClient } from '../testing/scripted-client.ts';
import { thing } from '../testing/things.ts';
import { type Certificate, certificateFiles } from './certificate.ts';
import { allow } from './verdict.ts';
import { WebhookServer, type WebhookServerOptions } from './webhook-server.ts';

/** Long limits: thousands of runs or real connections on a possibly busy machine. */
vi.setConfig({ testTimeout: 120_000 });

const first = await selfSignedCertificate('first');
const second = await selfSignedCertificate('second');
const body = JSON.stringify({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: { uid: 'u-1', operation: 'CREATE', object: thing('a/one') },
});

interface Answer {
  readonly status: number | undefined;
  readonly text: string;
}

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

async function serve(options: Partial<WebhookServerOptions> = {}) {
  let certificate = first;
  const lines: LogRecord[] = [];
  const metrics = new MetricRegistry();
  const server = new WebhookServer({
    host: '127.0.0.1',
    port: 0,
    certificate: async () => certificate,
    log: createLogger({ clock: systemClock, write: (line) => lines.push(line) }),
    metrics,
    reloadPeriod: 10,
    gracePeriod: 200,
    ...options,
  });
  server.validate('/validate', () => allow());
  server.handle('/slow', async (_, { signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return {};
  });
  let held = 0;
  const released = Promise.withResolvers<void>();
  server.handle('/held', async () => {
    held++;
    await released.promise;
    return {};
  });
  server.handle('/deaf', () => new Promise(() => undefined));
  server.handle('/broken', () => Promise.reject(new Error('a secret inside')));
  const stop = new AbortController();
  const ended = server.run(stop.signal);
  const end = async () => {
    stop.abort();
    await ended;
  };
  endings.push(end);
  while (!server.address) await turn();
  const post = (path: string, init: Init = {}) => send(server.address?.port ?? 0, path, init);
  const setCertificate = (next: Certificate) => {
    certificate = next;
  };
  const heldArrived = async (count: number) => {
    while (held < count) await turn();
  };
  return { server, post, stop, ended, lines, metrics, setCertificate, heldArrived, release: () => released.resolve() };
}

interface Init {
  readonly method?: string;
  readonly type?: string;
  readonly payload?: string | Buffer;
  readonly ca?: string;
  readonly agent?: Agent;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

function send(
  port: number,
  path: string,
  { method = 'POST', type = 'application/json', payload = body, ca = first.cert, agent }: Init,
) {
  return new Promise<Answer>((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      path,
      method,
      ca,
      headers: { 'content-type': type },
      ...(agent && { agent }),
    };
    const sent = httpsRequest(options, (response) => {
      let text = '';
      response.on('data', (piece: Buffer) => (text += piece.toString()));
      response.on('end', () => resolve({ status: response.statusCode, text }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(payload);
  });
}

/** Sends raw bytes. `whenClosed` resolves with the answer when the server has closed the connection. */
function raw(server: WebhookServer, text: string) {
  const socket = connect({ host: '127.0.0.1', port: server.address?.port ?? 0, rejectUnauthorized: false });
  let answer = '';
  socket.on('data', (piece: Buffer) => (answer += piece.toString('latin1')));
  socket.on('error', () => undefined);
  socket.once('secureConnect', () => socket.write(text));
  return { socket, whenClosed: new Promise<string>((resolve) => socket.once('close', () => resolve(answer))) };
}

/** The common name of the certificate a server presents. */
function presented(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      const { CN } = socket.getPeerCertificate().subject;
      socket.destroy();
      resolve(String(CN));
    });
    socket.on('error', reject);
  });
}

describe('webhook server', () => {
  test('answers reviews over HTTPS', async () => {
    const { post, server, metrics } = await serve();
    const { status, text } = await post('/validate?timeout=10s');
    expect([status, JSON.parse(text)]).toMatchObject([200, { response: { uid: 'u-1', allowed: true } }]);
    expect(server.ready()).toBeUndefined();
    expect(metrics.render()).toContain('controller_runtime_webhook_requests_total{webhook="/validate",code="200"} 1');
  });

  test.each([
    ['an unknown path', '/nothing', {}, 404],
    ['another method', '/validate', { method: 'PUT' }, 400],
    ['another type', '/validate', { type: 'text/plain' }, 400],
    ['garbage', '/validate', { payload: '{"half a' }, 400],
    ['another review', '/validate', { payload: '{"kind":"TokenReview"}' }, 400],
  ])('%s is refused', async (_, path, init, expected) => {
    const { post } = await serve();
    expect((await post(path, init)).status).toBe(expected);
  });

  test('a review with an object of the largest size the API server takes passes; a longer body is refused', async () => {
    const { post } = await serve();
    const large = thing('a/one', {}, { annotations: { big: 'x'.repeat(3 * 2 ** 20) } });
    const request = { uid: 'u', operation: 'UPDATE', object: large, oldObject: large };
    const payload = JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
    expect((await post('/validate', { payload })).status).toBe(200);
    const refused = await post('/validate', { payload: Buffer.alloc(9 * 2 ** 20, 0x20) }).catch(
      (error: unknown) => error,
    );
    // The server may close the connection while the client is still sending, so the answer may be lost.
    expect(refused).toSatisfy((it: Answer | NodeJS.ErrnoException) =>
      it instanceof Error ? ['EPIPE', 'ECONNRESET'].includes(it.code ?? '') : it.status === 413,
    );
  });

  test('a body that does not say how long it is ends at the limit', async () => {
    const { server } = await serve({ maxBodyBytes: 1000 });
    const outcome = await new Promise<number | string | undefined>((resolve) => {
      const port = server.address?.port;
      const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
      const sent = httpsRequest(
        { host: '127.0.0.1', port, path: '/validate', method: 'POST', ca: first.cert, headers },
        (response) => resolve(response.statusCode),
      );
      sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
      const more = setInterval(() => sent.write(' '.repeat(500)), 1);
      sent.on('close', () => clearInterval(more));
    });
    expect([413, 'EPIPE', 'ECONNRESET']).toContain(outcome);
  });

  test('a handler that throws is answered with an error that does not tell what was inside', async () => {
    const { post, lines } = await serve();
    const { status, text } = await post('/broken');
    expect([status, text]).toEqual([500, 'the webhook failed\n']);
    expect(lines.find(({ message }) => message === 'review was not answered')?.fields).toMatchObject({
      webhook: '/broken',
      code: 'HandlerFailed',
      error: { cause: { message: 'a secret inside' } },
    });
  });

  test('an answer takes no longer than the API server waits, whether the handler obeys its signal or not', async () => {
    const { post } = await serve();
    expect((await post('/slow?timeout=20ms')).status).toBe(504);
    expect((await post('/deaf?timeout=0.02s')).status).toBe(504);
  });

  test('more reviews at a time than allowed wait in line, within their own time', async () => {
    const { post, heldArrived, release } = await serve({ maxConcurrent: 2, timeout: 120_000 });
    const held = [post('/held'), post('/held')];
    await heldArrived(2);
    const waiting = Array.from({ length: 200 }, () => post('/validate'));
    expect((await post('/validate?timeout=50ms')).status).toBe(504);
    release();
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([200]));
    expect((await post('/validate')).status).toBe(200);
  });

  test('a handler that never ends keeps its place no longer than its time', async () => {
    const { post } = await serve({ maxConcurrent: 1, timeout: 50 });
    expect((await post('/deaf')).status).toBe(504);
    expect((await post('/validate')).status).toBe(200);
  });

  test('endless bodies do not block others, and end soon', async () => {
    const { server, post } = await serve({ maxConcurrent: 2, bodyTimeout: 300 });
    const half = 'POST /validate HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{';
    const opened = Array.from({ length: 100 }, () => raw(server, half));
    await Promise.all(opened.map(({ socket }) => new Promise((resolve) => socket.once('secureConnect', resolve))));
    const answers = await Promise.all(Array.from({ length: 20 }, () => post('/validate?timeout=5s')));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    for (const { whenClosed } of opened) expect(await whenClosed).toMatch(/^HTTP\/1.1 504 /);
  });

  test('a body that does not come loses its place when time is up', async () => {
    const { server, metrics, post } = await serve({ maxConcurrent: 1, timeout: 50 });
    const { socket, whenClosed } = raw(
      server,
      'POST /validate HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\nhalf',
    );
    await whenClosed;
    socket.destroy();
    expect(metrics.render()).toContain('webhook_requests_total{webhook="/validate",code="504"} 1');
    // Others are served again. 50 ms may be too short on a slow machine.
    expect([200, 504]).toContain((await post('/validate')).status);
  });

  test.each(['//', '//[', '/%', '*', 'http://[', '/validate/../../etc'])(
    'the request target %s leads nowhere and harms nobody',
    async (target) => {
      const { server, post, metrics } = await serve();
      const { whenClosed } = raw(
        server,
        `POST ${target} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`,
      );
      expect(await whenClosed).toMatch(/^HTTP\/1.1 40[04] |^$/);
      expect((await post('/validate')).status).toBe(200);
      expect(metrics.render()).not.toContain('code="500"');
    },
  );

  test('a new certificate is taken up without a restart, and open connections stay', async () => {
    const { server, post, setCertificate, lines } = await serve();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect((await post('/validate', { agent })).status).toBe(200);
    expect(await presented(server.address?.port ?? 0)).toBe('first');
    setCertificate(second);
    while (!lines.some(({ message }) => message === 'webhook server loaded a new certificate')) await turn();
    expect(await presented(server.address?.port ?? 0)).toBe('second');
    expect((await post('/validate', { agent })).status).toBe(200);
    agent.destroy();
  });

  test('a certificate that cannot be read, or does not fit its key, leaves the one in use', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'webhook-'));
    endings.push(() => rm(folder, { recursive: true }));
    const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
    await writeFile(certFile, first.cert);
    await writeFile(keyFile, first.key);
    const { server, lines } = await serve({ certificate: certificateFiles(certFile, keyFile) });
    await writeFile(certFile, second.cert);
    while (!lines.some(({ message }) => message.startsWith('serving certificate cannot be used'))) await turn();
    expect(await presented(server.address?.port ?? 0)).toBe('first');
    await writeFile(keyFile, second.key);
    while (!lines.some(({ message }) => message === 'webhook server loaded a new certificate')) await turn();
    expect(await presented(server.address?.port ?? 0)).toBe('second');
  });

  test('a certificate that is not there at the start is waited for', async () => {
    let ready = false;
    let asked = 0;
    const source = async () => {
      asked++;
      if (!ready) throw new Error('not issued yet');
      return first;
    };
    const starting = serve({ certificate: source });
    while (asked < 2) await turn();
    ready = true;
    const { post } = await starting;
    expect((await post('/validate')).status).toBe(200);
  });

  test.each([
    ['is no certificate', { cert: 'garbage', key: 'garbage' }],
    ['does not fit its key', { cert: first.cert, key: second.key }],
    ['has no key', { cert: first.cert, key: '' }],
  ])(
    'a first certificate that %s does not end the manager: it is not ready, says why, and recovers',
    async (_, bad) => {
      const clock = new VirtualClock();
      let certificate: Certificate = bad;
      const webhooks = new WebhookServer({
        host: '127.0.0.1',
        port: 0,
        clock,
        certificate: async () => certificate,
        log: createLogger({ clock, write: () => undefined }),
      });
      webhooks.validate('/validate', () => allow());
      const manager = createManager({ client: new ScriptedClient(clock), clock });
      manager.add(webhooks);
      manager.addReadyCheck('webhooks', webhooks.ready);
      const stop = new AbortController();
      const ended = manager.run(stop.signal);
      await clock.advance(5000);
      expect(manager.readiness().text).toMatch(
        /webhooks failed: .* is not listening yet: its certificate cannot be used/,
      );
      certificate = first;
      await clock.advance(5000);
      while (!webhooks.address) await turn();
      expect(manager.readiness().ok).toBe(true);
      expect((await send(webhooks.address.port, '/validate', {})).status).toBe(200);
      stop.abort();
      await ended;
    },
  );

  test('a new certificate that is no certificate leaves the one in use', async () => {
    const { server, setCertificate, lines } = await serve();
    setCertificate({ cert: 'garbage', key: 'garbage' });
    while (!lines.some(({ message }) => message.startsWith('serving certificate cannot be used'))) await turn();
    expect(await presented(server.address?.port ?? 0)).toBe('first');
    setCertificate(second);
    while (!lines.some(({ message }) => message === 'webhook server loaded a new certificate')) await turn();
    expect(await presented(server.address?.port ?? 0)).toBe('second');
  });

  test('with a client authority, clients without its certificate are not served', async () => {
    const { server, post } = await serve({ clientCa: second.cert });
    await expect(post('/validate')).rejects.toThrow(/ECONNRESET|socket hang up|certificate required|alert/);
    const known = new Agent({ cert: second.cert, key: second.key, ca: first.cert });
    expect((await send(server.address?.port ?? 0, '/validate', { agent: known })).status).toBe(200);
    known.destroy();
  });

  test('stopping answers what is under way, within the grace period', async () => {
    const { post, stop, ended, server, heldArrived, release } = await serve({ gracePeriod: 120_000, timeout: 120_000 });
    const underway = post('/held');
    await heldArrived(1);
    stop.abort();
    release();
    expect((await underway).status).toBe(200);
    await ended;
    expect(server.ready()).toBe('the webhook server is not listening yet');
  });

  test('stopping does not wait for connections that never end', async () => {
    const { server, stop, ended, metrics } = await serve();
    const { socket } = raw(
      server,
      'POST /validate HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\nhalf',
    );
    while (!metrics.render().includes('webhook_requests_in_flight 1')) await turn();
    stop.abort();
    await ended;
    socket.destroy();
    expect(server.address).toBeUndefined();
  });

  test('two webhooks at one path are refused', () => {
    const server = new WebhookServer({ certificate: async () => first });
    server.validate('/x', () => allow());
    expect(() => server.convert('/x', (object) => object)).toThrow(/already/);
  });
});
