// SPDX-License-Identifier: Apache-2.0
import { duplexPair } from 'node:stream';
import type { DialTarget } from '@operator-parts/etcd';
import { createClient, pods, services, type Transport } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { beforeAll, describe, expect, test } from 'vitest';
import { endpointDialer, nameInNamespace } from './endpoint-dialer.ts';
import type { EndpointCall } from './endpoint-rules.ts';
import { namespaceAddresses } from './namespace-addresses.ts';

const client = createClient(createApiServer({}).transport());
const rules = { isShared: true, granted: [], refused: ['10.96.0.1'] };

async function pod(
  name: string,
  podIP: string,
  more: { phase?: string; hostNetwork?: boolean; namespace?: string; other?: string } = {},
) {
  const { phase = 'Running', hostNetwork = false, namespace = 'default', other } = more;
  const spec = { hostNetwork, containers: [{ name: 'c', image: 'i' }] };
  await client.resource(pods).create({ metadata: { name, namespace }, spec });
  const status = { phase, podIP, podIPs: [{ ip: podIP }, ...(other ? [{ ip: other }] : [])] };
  await client.resource(pods).status.patch({ namespace, name }, { type: 'merge', patch: { status } });
}

async function service(name: string, spec: object): Promise<string> {
  const ports = [{ port: 2379 }];
  const made = await client
    .resource(services)
    .create({ metadata: { name, namespace: 'default' }, spec: { ports, ...spec } });
  return made.spec?.clusterIP ?? '';
}

const addresses: Record<string, string> = {};

beforeAll(async () => {
  await pod('running', '10.244.1.1');
  await pod('both', 'fd00::7', { other: '10.244.1.7' });
  await pod('ended-both', 'fd00::9', { other: '10.244.1.9', phase: 'Succeeded' });
  await pod('ended', '10.244.1.2', { phase: 'Succeeded' });
  await pod('failed', '10.244.1.3', { phase: 'Failed' });
  await pod('on-the-node', '192.168.0.5', { hostNetwork: true });
  await pod('neighbour', '10.244.1.4', { namespace: 'kube-system' });
  addresses['members'] = await service('members', { selector: { app: 'etcd' } });
  addresses['by-hand'] = await service('by-hand', {});
});

/** The address that a connection to this host goes to, if names resolve to these addresses. */
async function dialled(
  host: string,
  names: Readonly<Record<string, readonly string[]>> = {},
  plainLogin: EndpointCall['plainLogin'] = 'none',
): Promise<readonly DialTarget[]> {
  const targets: DialTarget[] = [];
  const network = {
    resolve: async (name: string) => names[name] ?? [],
    dial: async (target: DialTarget) => {
      targets.push(target);
      return duplexPair()[0];
    },
  };
  const dial = endpointDialer('default', client, rules, network)({ plainLogin });
  await dial({ host, port: 2379 }, new AbortController().signal);
  return targets;
}

describe('endpoints of an object in namespace default', () => {
  test('are pods that run there, and Services that select pods', async () => {
    expect(await dialled('10.244.1.1')).toEqual([{ host: '10.244.1.1', port: 2379 }]);
    const { members = '' } = addresses;
    expect(await dialled('members', { 'members.default.svc': [members] })).toEqual([{ host: members, port: 2379 }]);
  });

  test('are pods that have the address besides one of the other IP family', async () => {
    expect(await dialled('both', { 'both.default.svc': ['fd00::7', '10.244.1.7'] })).toEqual([
      { host: 'fd00::7', port: 2379 },
    ]);
    expect(await dialled('10.244.1.7')).toEqual([{ host: '10.244.1.7', port: 2379 }]);
  });

  test.each([
    ['of a pod of another namespace', '10.244.1.4'],
    ['that a pod which ended has left to others', '10.244.1.2'],
    ['that a pod which failed has left to others', '10.244.1.3'],
    ['of a node, although a pod shares it', '192.168.0.5'],
    ['of nobody', '8.8.8.8'],
    ['of nobody in IPv6', 'fd00::8'],
    ['of both families that a pod which ended has left to others', '10.244.1.9'],
    ['of the API server', '10.96.0.1'],
  ])('are not an address %s', async (_whose, address) => {
    await expect(dialled(address)).rejects.toMatchObject({ refusal: { reason: 'EndpointNotAllowed' } });
    await expect(dialled('x.example', { 'x.example': [address] })).rejects.toMatchObject({
      name: 'EndpointRefusedError',
    });
  });

  test('are not a name of more addresses than a cluster has members', async () => {
    const many = Array.from({ length: 17 }, (_, index) => `10.244.2.${index}`);
    await expect(dialled('many.example', { 'many.example': many })).rejects.toThrow('many.example has 17 addresses');
    await expect(dialled('some.example', { 'some.example': many.slice(1) })).rejects.toMatchObject({
      refusal: { reason: 'EndpointNotAllowed' },
    });
  });

  test('are asked about in vain while the API server answers no request: only the caller gets the error', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    const failing: Transport = {
      ...createApiServer({}).transport(),
      request: async ({ path }) => {
        // The request for pods fails at once and that for Services later: the first rejection must be handled while the second is awaited.
        if (path.includes('/services')) await new Promise((resolve) => setTimeout(resolve, 20));
        throw new Error(`no answer for ${path}`);
      },
    };
    await expect(
      namespaceAddresses(createClient(failing), 'default', ['10.0.0.1', '10.0.0.2'], new AbortController().signal),
    ).rejects.toThrow('no answer');
    await new Promise((resolve) => setTimeout(resolve, 50));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  test('are not a Service without a selector, whose endpoints any user may have written', async () => {
    const byHand = addresses['by-hand'] ?? '';
    expect(byHand).not.toBe('');
    await expect(dialled('by-hand', { 'by-hand.default.svc': [byHand] })).rejects.toMatchObject({
      refusal: { reason: 'EndpointNotAllowed' },
    });
  });

  test('are not what an ExternalName, or a name that is changed, leads to', async () => {
    let turn = 0;
    const answers = [['10.244.1.1'], ['10.244.1.4']];
    const resolve = async () => answers[turn++] ?? [];
    const targets: DialTarget[] = [];
    const dial = async (target: DialTarget) => {
      targets.push(target);
      return duplexPair()[0];
    };
    const connect = endpointDialer('default', client, rules, { resolve, dial })({ plainLogin: 'none' });
    const { signal } = new AbortController();
    await connect({ host: 'x.default.svc', port: 2379 }, signal);
    await expect(connect({ host: 'x.default.svc', port: 2379 }, signal)).rejects.toMatchObject({
      name: 'EndpointRefusedError',
    });
    expect(targets).toEqual([{ host: '10.244.1.1', port: 2379 }]);
  });
});

describe('short names', () => {
  test.each([
    ['kept-client', 'kept-client.team-a.svc'],
    ['kept-client.team-a', 'kept-client.team-a.svc'],
    ['kept-client.team-b', 'kept-client.team-b'],
    ['kept-client.team-a.svc', 'kept-client.team-a.svc'],
    ['a.kept.team-a.svc', 'a.kept.team-a.svc'],
    ['example.com', 'example.com'],
  ])('%s of an object in team-a is %s', (host, name) => {
    expect(nameInNamespace(host, 'team-a')).toBe(name);
  });
});
