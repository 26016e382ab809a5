// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { type Answer, refusalOf } from '../../answer.ts';
import type { Stored } from '../../caller.ts';
import type { Subject, Trial } from '../../trial.ts';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
const mapsIn = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;

function map(namespace: string, data: object, metadata: object = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace, ...metadata }, data };
}

/** An object created by `kubectl apply`, with the last-applied annotation. */
async function clientSide(t: Trial, namespace: string, data: object, by = 'kubectl-client-side-apply'): Promise<void> {
  const annotations = { [annotation]: `${JSON.stringify(map(namespace, data))}\n` };
  await t.make(`${mapsIn(namespace)}?fieldManager=${by}`, map(namespace, data, { annotations }));
}

function serverSide(t: Trial, namespace: string, data: object, by = 'kubectl'): Promise<Answer<Stored>> {
  return t.patch(`${mapsIn(namespace)}/a?fieldManager=${by}`, 'apply', map(namespace, data));
}

function ownersOf({ metadata }: Stored): readonly (readonly [string | undefined, unknown])[] {
  return (metadata.managedFields ?? []).map(({ manager, fieldsV1 }) => [manager, fieldsV1] as const);
}

/** `kubectl apply --server-side` on objects of `kubectl apply`. */
export const afterClientSideApply: Subject = {
  name: 'from client-side to server-side apply',
  cases: {
    'kubectl takes over what it applied, whatever the recorded manager is, and records what it applies now': async (
      t,
    ) => {
      const namespace = await t.namespace();
      await clientSide(t, namespace, { k: 'v', z: 'y' }, 'kubectl-create');
      const { code, body } = await serverSide(t, namespace, { k: 'new <&>' });
      expect(code).toBe(200);
      expect(body.data).toEqual({ k: 'new <&>', z: 'y' });
      expect(ownersOf(body)).toEqual([
        ['kubectl', { 'f:data': { 'f:k': {} } }],
        [
          'kubectl-create',
          {
            'f:data': { '.': {}, 'f:z': {} },
            'f:metadata': { 'f:annotations': { '.': {}, [`f:${annotation}`]: {} } },
          },
        ],
      ]);
      const now = `${JSON.stringify({
        apiVersion: 'v1',
        data: { k: 'new LAG' },
        kind: 'ConfigMap',
        metadata: { name: 'a', namespace },
      })}\n`;
      expect(body.metadata.annotations?.[annotation]).toBe(now.replace('LAG', String.raw`\u003c\u0026\u003e`));
    },
    'what another manager has changed since is a conflict, and only that': async (t) => {
      const namespace = await t.namespace();
      await clientSide(t, namespace, { k: 'v', z: 'y' });
      const path = `${mapsIn(namespace)}/a?fieldManager=other`;
      await t.patch(path, 'merge', { data: { z: 'changed' } });
      const refused = refusalOf(await serverSide(t, namespace, { k: 'new', z: 'new' }));
      expect(refused.message).toBe('Apply failed with 1 conflict: conflict with "other" using v1: .data.z');
    },
    'who applies under another name takes nothing over': async (t) => {
      const namespace = await t.namespace();
      await clientSide(t, namespace, { k: 'v' });
      const refused = refusalOf(await serverSide(t, namespace, { k: 'new' }, 'mine'));
      expect(refused.message).toBe(
        'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.k',
      );
      const { body } = await serverSide(t, namespace, { k: 'v' }, 'mine');
      expect(body.metadata.annotations?.[annotation]).toBe(`${JSON.stringify(map(namespace, { k: 'v' }))}\n`);
    },
    'without a note of what was applied nothing is taken over, and none is made': async (t) => {
      const namespace = await t.namespace();
      await t.make(`${mapsIn(namespace)}?fieldManager=kubectl-create`, map(namespace, { k: 'v' }));
      const refused = refusalOf(await serverSide(t, namespace, { k: 'new' }));
      expect(refused.message).toBe('Apply failed with 1 conflict: conflict with "kubectl-create" using v1: .data.k');
      const { body } = await serverSide(t, namespace, { k: 'v' });
      expect(body.metadata.annotations).toBeUndefined();
    },
  },
};
