// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { badRequest, refusalOf } from '../../answer.ts';
import { type Cause, invalid } from '../../invalid.ts';
import type { Subject } from '../../trial.ts';

const secretsIn = (namespace: string) => `/api/v1/namespaces/${namespace}/secrets`;
const secret = (name: string) => ({ metadata: { name } });

const badOptions = (...causes: readonly Cause[]) => invalid('ListOptions.meta.k8s.io', '', ...causes);

/** What `resourceVersion` and `resourceVersionMatch` mean for reads and lists. */
export const resourceVersions: Subject = {
  name: 'resourceVersion',
  cases: {
    'a list carries a version that is at least that of its newest item': async (t) => {
      const ns = await t.namespace();
      const { metadata } = await t.make(secretsIn(ns), secret('a'));
      const list = await t.list(secretsIn(ns));
      expect(Number(list.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(metadata.resourceVersion));
    },
    'a list without a version shows every write that was answered before': async (t) => {
      const ns = await t.namespace();
      for (let i = 0; i < 20; i += 1) {
        await t.make(secretsIn(ns), secret(`s${i}`));
        expect((await t.list(secretsIn(ns))).items).toHaveLength(i + 1);
      }
    },
    'a list that is not older than a write shows it': async (t) => {
      const ns = await t.namespace();
      const { metadata } = await t.make(secretsIn(ns), secret('a'));
      const { items } = await t.list(`${secretsIn(ns)}?resourceVersion=${metadata.resourceVersion}`);
      expect(items).toHaveLength(1);
      const query = `resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=NotOlderThan`;
      expect((await t.list(`${secretsIn(ns)}?${query}`)).items).toHaveLength(1);
    },
    'a list of exactly one version shows that moment': async (t) => {
      const ns = await t.namespace();
      const first = await t.make(secretsIn(ns), secret('a'));
      const second = await t.make(secretsIn(ns), secret('b'));
      await t.delete(`${secretsIn(ns)}/a`);
      const at = async (version: string) => {
        const list = await t.list(`${secretsIn(ns)}?resourceVersion=${version}&resourceVersionMatch=Exact`);
        expect(list.metadata.resourceVersion).toBe(version);
        return list.items.map(({ metadata }) => metadata.name);
      };
      expect(await at(first.metadata.resourceVersion)).toEqual(['a']);
      expect(await at(second.metadata.resourceVersion)).toEqual(['a', 'b']);
    },
    'a version with a limit means exactly that version': async (t) => {
      const ns = await t.namespace();
      const { metadata } = await t.make(secretsIn(ns), secret('a'));
      await t.make(secretsIn(ns), secret('b'));
      const list = await t.list(`${secretsIn(ns)}?limit=5&resourceVersion=${metadata.resourceVersion}`);
      expect(list.items.map((item) => item.metadata.name)).toEqual(['a']);
      expect(list.metadata.resourceVersion).toBe(metadata.resourceVersion);
    },
    'a version of the future is 504 and says to try again': async (t) => {
      const ns = await t.namespace();
      const answer = await t.get(`${secretsIn(ns)}?resourceVersion=999999999`);
      const { message, ...rest } = refusalOf(answer);
      expect(message).toMatch(/^Timeout: Too large resource version: 999999999, current: \d+$/);
      expect(rest).toEqual({
        code: 504,
        reason: 'Timeout',
        details: {
          causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
          retryAfterSeconds: 1,
        },
      });
      expect(answer.headers['retry-after']).toBe('1');
    },
    'an object can be read from whatever is at hand': async (t) => {
      const ns = await t.namespace();
      const made = await t.make(secretsIn(ns), secret('a'));
      const read = await t.eventually(() => t.read(`${secretsIn(ns)}/a?resourceVersion=0`));
      expect(read).toEqual(made);
    },
    'an object can be read not older than its own write': async (t) => {
      const ns = await t.namespace();
      const made = await t.make(secretsIn(ns), secret('a'));
      expect(await t.read(`${secretsIn(ns)}/a?resourceVersion=${made.metadata.resourceVersion}`)).toEqual(made);
    },
    'a match without a version is refused': async (t) => {
      const message = 'Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided';
      expect(refusalOf(await t.get(`${secretsIn('default')}?resourceVersionMatch=Exact`))).toEqual(
        badOptions(['resourceVersionMatch', 'Forbidden', message]),
      );
    },
    'exactly any version is refused': async (t) => {
      const message = 'Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"';
      expect(refusalOf(await t.get(`${secretsIn('default')}?resourceVersion=0&resourceVersionMatch=Exact`))).toEqual(
        badOptions(['resourceVersionMatch', 'Forbidden', message]),
      );
    },
    'an unknown match is refused': async (t) => {
      const message = 'Unsupported value: "Nearly": supported values: "Exact", "NotOlderThan", ""';
      expect(refusalOf(await t.get(`${secretsIn('default')}?resourceVersion=1&resourceVersionMatch=Nearly`))).toEqual(
        badOptions(['resourceVersionMatch', 'NotSupported', message]),
      );
    },
    'a version that is no number is 400 in a list': async (t) => {
      expect(refusalOf(await t.get(`${secretsIn('default')}?resourceVersion=abc`))).toEqual(
        badRequest(
          'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
        ),
      );
    },
    'initial events are refused for a list': async (t) => {
      const message = 'Forbidden: sendInitialEvents is forbidden for list';
      expect(refusalOf(await t.get(`${secretsIn('default')}?sendInitialEvents=true`))).toEqual(
        badOptions(['sendInitialEvents', 'Forbidden', message]),
      );
    },
  },
};
