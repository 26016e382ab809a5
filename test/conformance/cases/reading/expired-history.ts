// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { refusalOf } from '../../answer.ts';
import type { Subject, Trial } from '../../trial.ts';

/** EndpointSlices, because the real server has no cache for them: compacted history is then gone. */
const slicesIn = (namespace: string) => `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;
const slice = (name: string) => ({ metadata: { name }, addressType: 'IPv4', endpoints: [] });

/** A namespace with s1 to s5, whose first page was read before the history was compacted. */
async function forgotten(t: Trial) {
  const ns = await t.namespace();
  for (const name of ['s1', 's2', 's3', 's4', 's5']) await t.make(slicesIn(ns), slice(name));
  const first = await t.list(`${slicesIn(ns)}?limit=2`);
  for (const name of ['s4', 's5'])
    await t.patch(`${slicesIn(ns)}/${name}`, 'merge', { metadata: { labels: { a: 'b' } } });
  await t.delete(`${slicesIn(ns)}/s3`);
  await t.compact();
  return { ns, first };
}

/** What happens to compacted versions. */
export const expiredHistory: Subject = {
  name: 'expired history',
  alone: true,
  cases: {
    'a token from before is 410 Expired and comes with one that goes on with what is there now': async (t) => {
      const { ns, first } = await forgotten(t);
      const token = encodeURIComponent(first.metadata.continue ?? '');
      const { code, body } = await t.get<{ metadata: { continue: string } }>(
        `${slicesIn(ns)}?limit=5&continue=${token}`,
      );
      expect(code).toBe(410);
      expect(body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: { continue: body.metadata.continue },
        status: 'Failure',
        message:
          'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
        reason: 'Expired',
        code: 410,
      });
      const rest = await t.list(`${slicesIn(ns)}?limit=5&continue=${encodeURIComponent(body.metadata.continue)}`);
      expect(rest.items.map(({ metadata }) => metadata.name)).toEqual(['s4', 's5']);
      expect(Number(rest.metadata.resourceVersion)).toBeGreaterThan(Number(first.metadata.resourceVersion));
    },
    'a list of exactly a version from before is 410 Expired': async (t) => {
      const { ns, first } = await forgotten(t);
      const query = `resourceVersion=${first.metadata.resourceVersion}&resourceVersionMatch=Exact`;
      expect(refusalOf(await t.get(`${slicesIn(ns)}?${query}`))).toEqual({
        code: 410,
        reason: 'Expired',
        message: 'The resourceVersion for the provided list is too old.',
      });
    },
    'a watch from before is opened and says 410 Expired in its only event': async (t) => {
      const { ns, first } = await forgotten(t);
      const watch = await t.watch<{ code: number; reason: string; kind: string }>(
        `${slicesIn(ns)}?resourceVersion=${first.metadata.resourceVersion}`,
      );
      const lines = await watch.rest();
      expect(
        lines.map(({ type, object }) => ({ type, kind: object.kind, code: object.code, reason: object.reason })),
      ).toEqual([{ type: 'ERROR', kind: 'Status', code: 410, reason: 'Expired' }]);
    },
    'a list that is not older than a version from before still works': async (t) => {
      const { ns, first } = await forgotten(t);
      const query = `resourceVersion=${first.metadata.resourceVersion}&resourceVersionMatch=NotOlderThan`;
      const { items } = await t.list(`${slicesIn(ns)}?${query}`);
      expect(items.map(({ metadata }) => metadata.name)).toEqual(['s1', 's2', 's4', 's5']);
    },
    'objects are written and read as before': async (t) => {
      const { ns } = await forgotten(t);
      const { metadata } = await t.read(`${slicesIn(ns)}/s1`);
      const { code } = await t.put(`${slicesIn(ns)}/s1`, {
        ...slice('s1'),
        metadata: { ...metadata, labels: { new: 'yes' } },
      });
      expect(code).toBe(200);
    },
  },
};
