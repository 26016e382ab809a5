// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { createClient } from '../client/create-client.ts';
import { isKubeError, KubeError } from '../kube-error.ts';
import type { Resource } from '../resource.ts';
import type { Script } from '../testing/scripted-transport.ts';
import { json, scriptedTransport, stallAfter, text } from '../testing/scripted-transport.ts';

const nodes: Resource = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };

/** The error of a get that is answered by `script`. */
async function errorOf(script: Script, signal?: AbortSignal): Promise<unknown> {
  const client = createClient(scriptedTransport(script));
  return client
    .resource(nodes)
    .get({ name: 'n' }, signal ? { signal } : {})
    .then(
      () => undefined,
      (error: unknown) => error,
    );
}

describe('an answer outside 2xx', () => {
  test.each([
    [404, 'NotFound', 'NotFound'],
    [409, 'AlreadyExists', 'AlreadyExists'],
    [409, 'Conflict', 'Conflict'],
    [410, 'Expired', 'Expired'],
    [410, 'Gone', 'Gone'],
    [422, 'Invalid', 'Invalid'],
    [429, 'TooManyRequests', 'TooManyRequests'],
    [500, 'ServerTimeout', 'ServerTimeout'],
    [504, 'Timeout', 'Timeout'],
    [500, 'StoreReadError', 'InternalError'],
    [403, 'SomethingNew', 'Forbidden'],
    [403, undefined, 'Forbidden'],
    [418, 'constructor', 'Unknown'],
  ])('HTTP %i with reason %s has code %s', async (httpStatus, reason, code) => {
    const status = { kind: 'Status', status: 'Failure', message: 'no', reason, code: httpStatus };
    const error = await errorOf(() => json(status, httpStatus));
    expect(error).toMatchObject({ code, httpStatus, message: 'GET /api/v1/nodes/n: no', status: { message: 'no' } });
    expect(error).toMatchObject({ request: { method: 'GET', path: '/api/v1/nodes/n' } });
  });

  test.each([
    [502, '<html>Bad gateway</html>', 'ServiceUnavailable'],
    [403, '', 'Forbidden'],
    [500, '{"kind":"Sta', 'InternalError'],
    [404, '{"kind":"Other"}', 'NotFound'],
    [404, '404 page not found\n', 'NotFound'],
    [301, '', 'Unknown'],
  ])('HTTP %i with body %j has code %s and no Status', async (httpStatus, body, code) => {
    const error = await errorOf(() => text(body, httpStatus));
    expect(error).toMatchObject({ code, httpStatus, status: undefined });
    expect((error as Error).message).toContain(body.trim());
  });

  test('puts no more than an excerpt of a large body into the message', async () => {
    const error = await errorOf(() => text('x'.repeat(5_000_000), 500));
    expect((error as Error).message.length).toBeLessThan(300);
  });
});

describe('a failure of the transport', () => {
  test.each([
    [Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 'ConnectionRefused'],
    [new AggregateError([Object.assign(new Error('a'), { code: 'ECONNREFUSED' })], 'all failed'), 'ConnectionRefused'],
    [new Error('outer', { cause: Object.assign(new Error('dns'), { code: 'ENOTFOUND' }) }), 'ConnectionRefused'],
    [Object.assign(new Error('self-signed'), { code: 'SELF_SIGNED_CERT_IN_CHAIN' }), 'ConnectionRefused'],
    [Object.assign(new Error('reset'), { code: 'ECONNRESET' }), 'ConnectionLost'],
    [Object.assign(new Error('slow'), { code: 'UND_ERR_HEADERS_TIMEOUT' }), 'Timeout'],
    ['a string', 'ConnectionLost'],
  ])('%s is told apart as %2$s', async (cause, code) => {
    const error = await errorOf(() => Promise.reject(cause));
    expect(error).toMatchObject({ name: 'KubeError', code, cause });
    expect(isKubeError(error, 'NotFound', 'Timeout', 'ConnectionLost', 'ConnectionRefused')).toBe(true);
  });

  test('keeps a KubeError as it is', async () => {
    const original = new KubeError('Configuration', 'no token');
    expect(await errorOf(() => Promise.reject(original))).toBe(original);
  });

  test('in the middle of a body is ConnectionLost', async () => {
    async function* broken() {
      yield Buffer.from('{');
      throw new Error('reset');
    }
    expect(await errorOf(() => ({ status: 200, headers: {}, body: broken() }))).toMatchObject({
      code: 'ConnectionLost',
    });
  });

  test('by the caller is Aborted, before and during a call', async () => {
    expect(await errorOf(() => json({}), AbortSignal.abort('early'))).toMatchObject({
      code: 'Aborted',
      cause: 'early',
    });
    const controller = new AbortController();
    const pending = errorOf(({ signal }) => {
      queueMicrotask(() => controller.abort('late'));
      return { status: 200, headers: {}, body: stallAfter(signal) };
    }, controller.signal);
    expect(await pending).toMatchObject({ code: 'Aborted', cause: 'late' });
  });
});
