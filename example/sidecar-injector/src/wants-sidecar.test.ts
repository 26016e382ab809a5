// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { mark, wantsSidecar } from './wants-sidecar.ts';

const enabled = { metadata: { labels: { [mark]: 'enabled' } } };
const annotated = (value: string) => ({ metadata: { annotations: { [mark]: value } } });
const itself = { metadata: { labels: { app: 'sidecar-injector' }, annotations: { [mark]: 'true' } } };

test.each([
  ['a Pod that asks for it', annotated('true'), 'default', {}, true],
  ['a Pod that asks in other words', annotated('yes'), 'default', {}, false],
  ['a Pod that does not ask', {}, 'default', {}, false],
  ['a Pod in a namespace that nobody knows', {}, 'default', undefined, false],
  ['a Pod in a namespace that asks for all', {}, 'mine', enabled, true],
  ['a Pod that declines in a namespace that asks', annotated('false'), 'mine', enabled, false],
  ['a Pod in kube-system that asks', annotated('true'), 'kube-system', {}, false],
  ['a Pod in kube-system, which asks for all', {}, 'kube-system', enabled, false],
  ['the injector itself', itself, 'default', enabled, false],
])('%s', (_name, pod, namespace, namespaceObject, wanted) => {
  expect(wantsSidecar(pod, namespace, namespaceObject)).toBe(wanted);
});
