// SPDX-License-Identifier: Apache-2.0
import { VirtualClock } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { json, scriptedTransport, text } from '../testing/scripted-transport.ts';
import type { TransportRequest } from '../transport/transport.ts';
import { Discovery } from './discovery.ts';

const podVerbs = ['get', 'list', 'watch'];

/** A server with aggregated discovery. */
const aggregated: Readonly<Record<string, unknown>> = {
  '/api': {
    kind: 'APIGroupDiscoveryList',
    items: [
      {
        metadata: {},
        versions: [
          {
            version: 'v1',
            freshness: 'Current',
            resources: [
              {
                resource: 'pods',
                responseKind: { group: '', version: 'v1', kind: 'Pod' },
                scope: 'Namespaced',
                singularResource: 'pod',
                shortNames: ['po'],
                categories: ['all'],
                verbs: podVerbs,
                subresources: [{ subresource: 'status' }, { subresource: 'log' }],
              },
            ],
          },
        ],
      },
    ],
  },
  '/apis': {
    kind: 'APIGroupDiscoveryList',
    items: [
      {
        metadata: { name: 'x.io' },
        versions: [
          { version: 'v2', resources: [{ resource: 'things', responseKind: { kind: 'Thing' }, scope: 'Cluster' }] },
          { version: 'v1', freshness: 'Stale', resources: [{ resource: 'things', responseKind: { kind: 'Thing' } }] },
        ],
      },
    ],
  },
};

/** A server with the old form only. */
const legacy: Readonly<Record<string, unknown>> = {
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/api/v1': {
    resources: [
      {
        name: 'pods',
        singularName: 'pod',
        namespaced: true,
        kind: 'Pod',
        verbs: podVerbs,
        shortNames: ['po'],
        categories: ['all'],
      },
      { name: 'pods/status', namespaced: true, kind: 'Pod', verbs: ['get'] },
      { name: 'pods/log', namespaced: true, kind: 'Pod', verbs: ['get'] },
    ],
  },
  '/apis': {
    kind: 'APIGroupList',
    groups: [{ name: 'x.io', versions: [{ version: 'v2' }, { version: 'v1' }], preferredVersion: { version: 'v2' } }],
  },
  '/apis/x.io/v2': { resources: [{ name: 'things', namespaced: false, kind: 'Thing', verbs: [] }] },
};

const answerFrom =
  (answers: Readonly<Record<string, unknown>>) =>
  ({ path }: TransportRequest) =>
    answers[path] === undefined ? json({ kind: 'Status', reason: 'ServiceUnavailable' }, 503) : json(answers[path]);

const pods = {
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  namespaced: true,
  singular: 'pod',
  shortNames: ['po'],
  categories: ['all'],
  verbs: podVerbs,
  subresources: ['status', 'log'],
  preferred: true,
};
const things = {
  group: 'x.io',
  version: 'v2',
  kind: 'Thing',
  plural: 'things',
  namespaced: false,
  singular: 'thing',
  shortNames: [],
  categories: [],
  verbs: [],
  subresources: [],
  preferred: true,
};

describe('the catalogue', () => {
  test('comes in two requests from a server of today', async () => {
    const transport = scriptedTransport(answerFrom(aggregated));
    const { resources, unavailable } = await new Discovery(transport).catalogue();
    expect(resources).toEqual([pods, things, expect.objectContaining({ version: 'v1', preferred: false })]);
    expect(unavailable).toEqual(['x.io/v1']);
    expect(transport.requests.map(({ path }) => path)).toEqual(['/api', '/apis']);
    expect(transport.requests[0]?.headers).toMatchObject({
      accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json',
    });
  });

  test('comes group by group from an older one, and a group that fails hides no other', async () => {
    const { resources, unavailable } = await new Discovery(scriptedTransport(answerFrom(legacy))).catalogue();
    expect(resources).toEqual([pods, things]);
    expect(unavailable).toEqual(['x.io/v1']);
  });

  test('is remembered, and read once for many', async () => {
    const clock = new VirtualClock();
    const transport = scriptedTransport(answerFrom(aggregated));
    const discovery = new Discovery(transport, { clock, maxAge: 1000 });
    await Promise.all([discovery.catalogue(), discovery.catalogue()]);
    await discovery.catalogue();
    expect(transport.requests).toHaveLength(2);
    await clock.advance(1000);
    await discovery.catalogue();
    expect(transport.requests).toHaveLength(4);
    discovery.forget();
    await discovery.catalogue();
    expect(transport.requests).toHaveLength(6);
  });

  test('that cannot be read is an error, and is tried again', async () => {
    let healthy = false;
    const transport = scriptedTransport((request) => (healthy ? answerFrom(aggregated)(request) : text('<html>', 200)));
    const discovery = new Discovery(transport);
    await expect(discovery.catalogue()).rejects.toMatchObject({ code: 'BadResponse' });
    healthy = true;
    expect((await discovery.catalogue()).resources).toHaveLength(3);
    const refusing = new Discovery(scriptedTransport(() => json({ kind: 'Status', reason: 'Forbidden' }, 403)));
    await expect(refusing.catalogue()).rejects.toMatchObject({ code: 'Forbidden' });
  });
});

describe('a kind', () => {
  test('is found in the preferred version or the one asked for', async () => {
    const discovery = new Discovery(scriptedTransport(answerFrom(aggregated)));
    expect(await discovery.find({ group: 'x.io', kind: 'Thing' })).toEqual(things);
    expect(await discovery.find({ group: 'x.io', kind: 'Thing', version: 'v1' })).toMatchObject({ version: 'v1' });
    expect(await discovery.find({ group: '', kind: 'Thing' })).toBeUndefined();
  });

  test('that was installed a moment ago is found, without asking all the time for one that is not', async () => {
    const clock = new VirtualClock();
    const answers: Record<string, unknown> = { ...aggregated, '/apis': { kind: 'APIGroupDiscoveryList', items: [] } };
    const transport = scriptedTransport((request) => answerFrom(answers)(request));
    const discovery = new Discovery(transport, { clock });
    expect(await discovery.find({ group: 'x.io', kind: 'Thing' })).toBeUndefined();
    expect(await discovery.find({ group: 'x.io', kind: 'Thing' })).toBeUndefined();
    expect(transport.requests).toHaveLength(2);
    answers['/apis'] = aggregated['/apis'];
    await clock.advance(1000);
    expect(await discovery.find({ group: 'x.io', kind: 'Thing' })).toEqual(things);
  });
});
