// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { refusalOf } from '../../answer.ts';
import { subdomainRule } from '../../messages.ts';
import type { Subject } from '../../trial.ts';

const mapsIn = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;

/** Generated names. */
export const generateName: Subject = {
  name: 'generateName',
  cases: {
    'a name is the given beginning and five characters that cannot be mistaken for others': async (t) => {
      const ns = await t.namespace();
      const { metadata } = await t.make(mapsIn(ns), { metadata: { generateName: 'gen-' } });
      expect(metadata.generateName).toBe('gen-');
      expect(metadata.name).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    },
    'twenty names from one beginning differ': async (t) => {
      const ns = await t.namespace();
      const bodies = Array.from({ length: 20 }, () => ({ metadata: { generateName: 'gen-' } }));
      const made = await Promise.all(bodies.map((body) => t.make(mapsIn(ns), body)));
      expect(new Set(made.map(({ metadata }) => metadata.name)).size).toBe(20);
    },
    'a name that is given wins over the beginning': async (t) => {
      const ns = await t.namespace();
      const { metadata } = await t.make(mapsIn(ns), { metadata: { name: 'gen-x', generateName: 'gen-' } });
      expect(metadata).toMatchObject({ name: 'gen-x', generateName: 'gen-' });
    },
    'a long beginning is cut so that the name has 63 characters': async (t) => {
      const ns = await t.namespace();
      const { metadata } = await t.make(mapsIn(ns), { metadata: { generateName: `${'a'.repeat(70)}-` } });
      expect(metadata.name).toMatch(/^a{58}[a-z0-9]{5}$/);
    },
    'a beginning that cannot begin a name is refused, with the name that came of it': async (t) => {
      const ns = await t.namespace();
      const { code, reason, details } = refusalOf(await t.post(mapsIn(ns), { metadata: { generateName: 'Bad_' } }));
      expect({ code, reason }).toEqual({ code: 422, reason: 'Invalid' });
      const { name, causes } = details as { name: string; causes: unknown };
      expect(name).toMatch(/^Bad_[a-z0-9]{5}$/);
      expect(causes).toEqual([
        {
          reason: 'FieldValueInvalid',
          message: `Invalid value: "Bad_": ${subdomainRule}`,
          field: 'metadata.generateName',
        },
        { reason: 'FieldValueInvalid', message: `Invalid value: "${name}": ${subdomainRule}`, field: 'metadata.name' },
      ]);
    },
    'a name that is taken says to try again when a beginning was given too': async (t) => {
      const ns = await t.namespace();
      await t.make(mapsIn(ns), { metadata: { name: 'gen-x' } });
      const answer = await t.post(mapsIn(ns), { metadata: { name: 'gen-x', generateName: 'gen-' } });
      expect(refusalOf(answer)).toEqual({
        code: 409,
        reason: 'AlreadyExists',
        message: 'configmaps "gen-x" already exists, the server was not able to generate a unique name for the object',
        details: { name: 'gen-x', kind: 'configmaps', retryAfterSeconds: 1 },
      });
      expect(answer.headers['retry-after']).toBe('1');
    },
    'the beginning is a note that can be changed later; the name stays': async (t) => {
      const ns = await t.namespace();
      const made = await t.make(mapsIn(ns), { metadata: { generateName: 'gen-' } });
      const answer = await t.patch(`${mapsIn(ns)}/${made.metadata.name}`, 'merge', {
        metadata: { generateName: 'x-' },
      });
      expect(answer.body.metadata).toMatchObject({ name: made.metadata.name, generateName: 'x-' });
    },
  },
};
