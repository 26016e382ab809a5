// SPDX-License-Identifier: Apache-2.0
import { systemClock, VirtualClock } from '@operator-parts/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Neutron } from './neutron.ts';
import { connectNeutron } from './neutron-client.ts';
import { type NeutronServer, startNeutron } from './neutron-server.ts';

const a = { cidr: '10.0.0.0/8', gateway: '10.0.0.1' };
const b = { cidr: '10.0.0.0/8', gateway: '10.0.0.2' };
const { signal } = new AbortController();

let server: NeutronServer;
let neutron: Neutron;
beforeEach(async () => {
  server = await startNeutron();
  neutron = connectNeutron({ url: server.url, clock: systemClock });
});
afterEach(() => server[Symbol.asyncDispose]());

describe('the network service', () => {
  test('creates, reads, changes and deletes networks', async () => {
    expect(await neutron.get('default/one', signal)).toBeUndefined();
    await neutron.create('default/one', a, signal);
    expect(await neutron.get('default/one', signal)).toEqual(a);
    await neutron.update('default/one', b, signal);
    expect(Object.fromEntries(server.networks)).toEqual({ 'default/one': b });
    await neutron.delete('default/one', signal);
    await neutron.delete('default/one', signal);
    expect(server.networks.size).toBe(0);
  });

  test('creates nothing twice, and changes nothing that is not there', async () => {
    await neutron.create('one', a, signal);
    await expect(neutron.create('one', b, signal)).rejects.toMatchObject({ code: 'Conflict' });
    await expect(neutron.update('two', b, signal)).rejects.toMatchObject({ code: 'NotFound' });
    expect(Object.fromEntries(server.networks)).toEqual({ one: a });
  });

  test('shows all of them at once', async () => {
    expect(await neutron.list(signal)).toEqual([]);
    await neutron.create('one', a, signal);
    expect(await neutron.list(signal)).toEqual(['one']);
    expect(await (await fetch(`${server.url}/networks`)).json()).toEqual({ one: a });
  });

  test.each([
    ['POST', '/networks', 'no JSON', 400],
    ['POST', '/networks', '{"name":"a","cidr":7}', 400],
    ['PUT', '/networks/one', '{}', 400],
    ['PUT', '/failures', '{"every":-1}', 400],
    ['PATCH', '/networks', '{}', 405],
    ['PATCH', '/networks/one', '{}', 405],
    ['GET', '/subnets', undefined, 404],
  ])('%s %s with the body %s is answered with %i', async (method, path, body, status) => {
    await neutron.create('one', a, signal);
    const answer = await fetch(server.url + path, { method, ...(body === undefined ? {} : { body }) });
    expect(answer.status).toBe(status);
  });

  test('reads no body without end', async () => {
    const body = 'x'.repeat(20_000);
    await expect(fetch(`${server.url}/networks`, { method: 'POST', body })).rejects.toThrow('fetch failed');
  });
});

describe('failures on request', () => {
  test('strike every n-th call, by turns before and after it has taken effect', async () => {
    await fetch(`${server.url}/failures`, { method: 'PUT', body: '{"every": 2}' });
    await neutron.create('one', a, signal);
    await expect(neutron.create('two', a, signal)).rejects.toMatchObject({ code: 'Unavailable' });
    await neutron.create('three', a, signal);
    await expect(neutron.create('four', a, signal)).rejects.toMatchObject({ code: 'Unavailable' });
    expect([...server.networks.keys()]).toEqual(['one', 'three', 'four']);
    expect(server.failures.failed).toBe(2);
    await fetch(`${server.url}/failures`, { method: 'PUT', body: '{"every": 0}' });
    await neutron.create('five', a, signal);
    await neutron.create('six', a, signal);
  });
});

describe('a call', () => {
  test('to a service that is down fails as unavailable', async () => {
    await using other = await startNeutron();
    const { url } = other;
    await other[Symbol.asyncDispose]();
    const gone = connectNeutron({ url, clock: systemClock });
    await expect(gone.get('one', signal)).rejects.toMatchObject({ code: 'Unavailable' });
  });

  test('takes no longer than its limit', async () => {
    const clock = new VirtualClock();
    const hurried = connectNeutron({ url: server.url, clock, timeout: 100 });
    const failure = hurried.get('one', signal).catch((error: unknown) => error);
    await clock.advance(100);
    expect(await failure).toMatchObject({ code: 'Unavailable', cause: { message: 'no answer within 100 ms' } });
  });
});
