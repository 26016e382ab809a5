// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { successOf } from '../../answer.ts';
import type { Stored } from '../../caller.ts';
import type { Subject, Trial } from '../../trial.ts';

const mapsIn = (ns: string) => `/api/v1/namespaces/${ns}/configmaps`;
const secretsIn = (ns: string) => `/api/v1/namespaces/${ns}/secrets`;
const ownedBy = ({ kind, metadata }: Stored, more: object = {}) => ({
  apiVersion: 'v1',
  kind,
  name: metadata.name,
  uid: metadata.uid,
  ...more,
});

/** An owner and its dependents; resolves with the namespace. */
async function family(t: Trial, reference: object = {}, finalizers: readonly string[] = []): Promise<string> {
  const ns = await t.namespace();
  const owner = await t.make(mapsIn(ns), { metadata: { name: 'owner' } });
  const ownerReferences = [ownedBy(owner, reference)];
  await t.make(secretsIn(ns), { metadata: { name: 'child', ownerReferences, finalizers } });
  return ns;
}

/**
 * Waits until the garbage collector has seen all Secrets so far: it watches each kind separately, and treats an owner
 * that is deleted before it has seen the dependents as one without any. When it deletes a final Secret whose owner does
 * not exist, it has seen all earlier ones.
 */
async function noticed(t: Trial, ns: string): Promise<void> {
  const uid = '11111111-1111-4111-8111-111111111111';
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid }];
  await t.make(secretsIn(ns), { metadata: { name: 'proof', ownerReferences } });
  await gone(t, `${secretsIn(ns)}/proof`);
}

const gone = (t: Trial, path: string) => t.eventually(async () => expect((await t.get(path)).code).toBe(404));
const forget = (t: Trial, path: string) => t.patch(path, 'merge', { metadata: { finalizers: null } });

/** What happens to dependents of a deleted owner. */
export const garbage: Subject = {
  name: 'garbage collection',
  cases: {
    'by default the owner goes at once and what it owned soon after': async (t) => {
      const ns = await family(t);
      await t.delete(`${mapsIn(ns)}/owner`);
      expect((await t.get(`${mapsIn(ns)}/owner`)).code).toBe(404);
      await gone(t, `${secretsIn(ns)}/child`);
    },
    'in the foreground the owner waits for those who block it': async (t) => {
      const ns = await family(t, { blockOwnerDeletion: true }, ['example.com/hold']);
      await noticed(t, ns);
      const { body } = await t.delete(`${mapsIn(ns)}/owner`, { propagationPolicy: 'Foreground' });
      expect(body.metadata.finalizers).toEqual(['foregroundDeletion']);
      await t.eventually(async () => {
        expect((await t.read(`${secretsIn(ns)}/child`)).metadata).toHaveProperty('deletionTimestamp');
      });
      expect((await t.get(`${mapsIn(ns)}/owner`)).code).toBe(200);
      await forget(t, `${secretsIn(ns)}/child`);
      await gone(t, `${mapsIn(ns)}/owner`);
    },
    'in the foreground the owner does not wait for those who do not block it': async (t) => {
      const ns = await family(t, {}, ['example.com/hold']);
      await t.delete(`${mapsIn(ns)}/owner`, { propagationPolicy: 'Foreground' });
      await gone(t, `${mapsIn(ns)}/owner`);
      await forget(t, `${secretsIn(ns)}/child`);
      await gone(t, `${secretsIn(ns)}/child`);
    },
    'orphans lose their owner and stay': async (t) => {
      const ns = await family(t);
      await noticed(t, ns);
      await t.delete(`${mapsIn(ns)}/owner`, { propagationPolicy: 'Orphan' });
      await gone(t, `${mapsIn(ns)}/owner`);
      const { metadata } = await t.read(`${secretsIn(ns)}/child`);
      expect(metadata).not.toHaveProperty('ownerReferences');
    },
    'what has another owner that exists stays, and loses the reference to the deleted one': async (t) => {
      const ns = await t.namespace();
      const [a, b] = [
        await t.make(mapsIn(ns), { metadata: { name: 'a' } }),
        await t.make(mapsIn(ns), { metadata: { name: 'b' } }),
      ];
      await t.make(secretsIn(ns), { metadata: { name: 'child', ownerReferences: [ownedBy(a), ownedBy(b)] } });
      await t.delete(`${mapsIn(ns)}/a`);
      await t.eventually(async () => {
        const { metadata } = await t.read(`${secretsIn(ns)}/child`);
        expect(metadata.ownerReferences?.map(({ name }) => name)).toEqual(['b']);
      });
      await t.delete(`${mapsIn(ns)}/b`);
      await gone(t, `${secretsIn(ns)}/child`);
    },
    'what names an owner of another UID is garbage': async (t) => {
      const ns = await t.namespace();
      const owner = await t.make(mapsIn(ns), { metadata: { name: 'owner' } });
      const ownerReferences = [{ ...ownedBy(owner), uid: '11111111-1111-4111-8111-111111111111' }];
      await t.make(secretsIn(ns), { metadata: { name: 'child', ownerReferences } });
      await gone(t, `${secretsIn(ns)}/child`);
      expect((await t.get(`${mapsIn(ns)}/owner`)).code).toBe(200);
    },
    'chains go to their end': async (t) => {
      const ns = await t.namespace();
      const a = await t.make(mapsIn(ns), { metadata: { name: 'a' } });
      const b = await t.make(mapsIn(ns), { metadata: { name: 'b', ownerReferences: [ownedBy(a)] } });
      await t.make(mapsIn(ns), { metadata: { name: 'c', ownerReferences: [ownedBy(b)] } });
      await t.delete(`${mapsIn(ns)}/a`);
      await gone(t, `${mapsIn(ns)}/c`);
    },
    'an owner that goes while it waits takes what comes late': async (t) => {
      const ns = await t.namespace();
      const owner = await t.make(mapsIn(ns), { metadata: { name: 'owner', finalizers: ['example.com/hold'] } });
      await t.delete(`${mapsIn(ns)}/owner`);
      await t.make(secretsIn(ns), { metadata: { name: 'late', ownerReferences: [ownedBy(owner)] } });
      successOf(await forget(t, `${mapsIn(ns)}/owner`));
      await gone(t, `${secretsIn(ns)}/late`);
    },
    'what is not owned stays': async (t) => {
      const ns = await family(t);
      await t.make(secretsIn(ns), { metadata: { name: 'other' } });
      await t.delete(`${mapsIn(ns)}/owner`);
      await gone(t, `${secretsIn(ns)}/child`);
      await sleep(100);
      expect((await t.get(`${secretsIn(ns)}/other`)).code).toBe(200);
    },
  },
};
