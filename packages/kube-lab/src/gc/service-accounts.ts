// SPDX-License-Identifier: Apache-2.0
import { asString, getIn } from '../json/json.ts';
import type { Core } from '../server/core.ts';
import { createStored } from '../server/system-writer.ts';

/** Creates the `default` service account in every namespace, and again when it is deleted. */
export function startServiceAccounts(core: Core): () => void {
  const resource = core.registry.find('', 'v1', 'serviceaccounts');
  if (!resource) throw new Error('the captured API has no serviceaccounts');
  const ensure = (namespace: string) => {
    const present = core.store.get('namespaces', namespace);
    if (!present || asString(getIn(present.object, 'status', 'phase')) === 'Terminating') return;
    createStored(core, resource, `${namespace}/default`, { metadata: { name: 'default', namespace } });
  };
  for (const { key } of core.store.list('namespaces')) ensure(key);
  const stops = [
    core.store.watch('namespaces', core.store.revision, ({ type, current }) => {
      if (type !== 'DELETED') ensure(current.key);
    }),
    core.store.watch('serviceaccounts', core.store.revision, ({ type, current }) => {
      const [namespace = '', name] = current.key.split('/');
      if (type === 'DELETED' && name === 'default') ensure(namespace);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
