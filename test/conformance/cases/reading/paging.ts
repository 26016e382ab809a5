// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { badRequest, refusalOf } from '../../answer.ts';
import type { StoredList } from '../../caller.ts';
import type { Subject, Trial } from '../../trial.ts';

const secretsIn = (namespace: string) => `/api/v1/namespaces/${namespace}/secrets`;

/** A namespace with the Secrets s1 to s5. */
async function five(t: Trial): Promise<string> {
  const ns = await t.namespace();
  for (const name of ['s1', 's2', 's3', 's4', 's5']) {
    await t.make(secretsIn(ns), { metadata: { name, labels: { odd: String(name !== 's2' && name !== 's4') } } });
  }
  return ns;
}

const names = ({ items }: StoredList) => items.map(({ metadata }) => metadata.name).join(' ');
const next = (list: StoredList) => encodeURIComponent(list.metadata.continue ?? '');

/** Paged lists. */
export const paging: Subject = {
  name: 'paging',
  cases: {
    'a page has as many items as asked for, a token for the next, and the number of those left': async (t) => {
      const ns = await five(t);
      const first = await t.list(`${secretsIn(ns)}?limit=2`);
      expect(names(first)).toBe('s1 s2');
      expect(first.metadata).toMatchObject({ continue: expect.stringMatching(/.+/), remainingItemCount: 3 });
      const second = await t.list(`${secretsIn(ns)}?limit=2&continue=${next(first)}`);
      expect(names(second)).toBe('s3 s4');
      expect(second.metadata).toMatchObject({ continue: expect.stringMatching(/.+/), remainingItemCount: 1 });
      const last = await t.list(`${secretsIn(ns)}?limit=2&continue=${next(second)}`);
      expect(names(last)).toBe('s5');
      expect(last.metadata).toEqual({ resourceVersion: first.metadata.resourceVersion });
    },
    'the last page that is exactly full has no token': async (t) => {
      const ns = await five(t);
      expect((await t.list(`${secretsIn(ns)}?limit=5`)).metadata).not.toHaveProperty('continue');
    },
    'all pages show the moment of the first, whatever happens in between': async (t) => {
      const ns = await five(t);
      const first = await t.list(`${secretsIn(ns)}?limit=2`);
      await t.delete(`${secretsIn(ns)}/s3`);
      await t.make(secretsIn(ns), { metadata: { name: 's35' } });
      await t.patch(`${secretsIn(ns)}/s5`, 'merge', { metadata: { labels: { late: 'yes' } } });
      const rest = await t.list(`${secretsIn(ns)}?continue=${next(first)}`);
      expect(names(rest)).toBe('s3 s4 s5');
      expect(rest.metadata).toEqual({ resourceVersion: first.metadata.resourceVersion });
      expect(rest.items.at(-1)?.metadata.labels).toEqual({ odd: 'true' });
    },
    'a page of a selection is filled up and does not say how many are left': async (t) => {
      const ns = await five(t);
      const first = await t.list(`${secretsIn(ns)}?limit=2&labelSelector=odd%3Dtrue`);
      expect(names(first)).toBe('s1 s3');
      expect(first.metadata).not.toHaveProperty('remainingItemCount');
      const last = await t.list(`${secretsIn(ns)}?limit=2&labelSelector=odd%3Dtrue&continue=${next(first)}`);
      expect(names(last)).toBe('s5');
      expect(last.metadata).not.toHaveProperty('continue');
    },
    'pages go across namespaces in order': async (t) => {
      const [one, other] = [await five(t), await five(t)].toSorted();
      const selector = `labelSelector=odd%3Dfalse&fieldSelector=metadata.name%3Ds2`;
      const seen: string[] = [];
      let token = '';
      do {
        const page = await t.list(`/api/v1/secrets?limit=1&${selector}&continue=${token}`);
        seen.push(...page.items.map(({ metadata }) => String(metadata.namespace)));
        token = next(page);
      } while (token !== '');
      expect(seen.filter((ns) => ns === one || ns === other)).toEqual([one, other]);
      expect(seen).toEqual(seen.toSorted());
    },
    'a token together with a version is 400': async (t) => {
      const ns = await five(t);
      const first = await t.list(`${secretsIn(ns)}?limit=2`);
      expect(refusalOf(await t.get(`${secretsIn(ns)}?limit=2&continue=${next(first)}&resourceVersion=5`))).toEqual(
        badRequest('specifying resource version is not allowed when using continue'),
      );
    },
    'a token that is none is 400': async (t) => {
      const ns = await t.namespace();
      const { code, reason, message } = refusalOf(await t.get(`${secretsIn(ns)}?limit=2&continue=garbage`));
      expect({ code, reason }).toEqual({ code: 400, reason: 'BadRequest' });
      expect(message).toMatch(/^invalid continue token: continue key is not valid: /);
    },
    'a limit that is no number is 400': async (t) => {
      const ns = await t.namespace();
      expect(refusalOf(await t.get(`${secretsIn(ns)}?limit=x`))).toEqual(
        badRequest('strconv.ParseInt: parsing "x": invalid syntax'),
      );
    },
    'a limit of nought is no limit': async (t) => {
      const ns = await five(t);
      expect(names(await t.list(`${secretsIn(ns)}?limit=0`))).toBe('s1 s2 s3 s4 s5');
    },
    'a limit is ignored when any version will do': async (t) => {
      const ns = await five(t);
      // Any version: the cache may not contain the latest objects yet.
      const list = await t.eventually(async () => {
        const any = await t.list(`${secretsIn(ns)}?limit=2&resourceVersion=0`);
        expect(names(any)).toBe('s1 s2 s3 s4 s5');
        return any;
      });
      expect(list.metadata).not.toHaveProperty('continue');
    },
  },
};
