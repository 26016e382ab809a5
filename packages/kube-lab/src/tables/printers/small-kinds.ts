// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asObjects, getIn, type JsonObject } from '../../json/json.ts';
import { age, countAt, listWithMore, nameOf, orNone, type Printer } from '../printer.ts';

export const budgetCells: Printer = (object, now) => [
  nameOf(object),
  orNone(getIn(object, 'spec', 'minAvailable'), 'N/A'),
  orNone(getIn(object, 'spec', 'maxUnavailable'), 'N/A'),
  countAt(object, 'status', 'disruptionsAllowed'),
  age(object, now),
];

export const bindingCells: Printer = (object, now) => {
  const role = asObject(object['roleRef']) ?? {};
  const subjects = asObjects(object['subjects']);
  const names = (kind: string) =>
    subjects
      .filter((subject) => subject['kind'] === kind)
      .map((subject) =>
        kind === 'ServiceAccount'
          ? `${String(subject['namespace'] ?? '')}/${String(subject['name'])}`
          : String(subject['name']),
      )
      .join(', ');
  return [
    nameOf(object),
    `${String(role['kind'])}/${String(role['name'])}`,
    age(object, now),
    names('User'),
    names('Group'),
    names('ServiceAccount'),
  ];
};

export const storageClassCells: Printer = (object, now) => [
  isDefault(object) ? `${nameOf(object)} (default)` : nameOf(object),
  orNone(object['provisioner'], ''),
  orNone(object['reclaimPolicy'], 'Delete'),
  orNone(object['volumeBindingMode'], 'Immediate'),
  object['allowVolumeExpansion'] === true,
  age(object, now),
];

function isDefault(object: JsonObject): boolean {
  return getIn(object, 'metadata', 'annotations', 'storageclass.kubernetes.io/is-default-class') === 'true';
}

export const webhooksCells: Printer = (object, now) => [
  nameOf(object),
  asArray(object['webhooks']).length,
  age(object, now),
];

export const leaseCells: Printer = (object, now) => [
  nameOf(object),
  orNone(getIn(object, 'spec', 'holderIdentity'), ''),
  age(object, now),
];

export const endpointSliceCells: Printer = (object, now) => [
  nameOf(object),
  orNone(object['addressType'], ''),
  listWithMore(asObjects(object['ports']).map(({ port, name }) => String(port ?? name ?? '*'))),
  listWithMore(asObjects(object['endpoints']).flatMap((endpoint) => asArray(endpoint['addresses']).map(String))),
  age(object, now),
];

export const revisionCells: Printer = (object, now) => {
  const owner = asObjects(getIn(object, 'metadata', 'ownerReferences')).find((one) => one['controller'] === true);
  const group = String(owner?.['apiVersion'] ?? '').split('/')[0];
  const kind = String(owner?.['kind'] ?? '').toLowerCase();
  const controller = owner ? `${kind}${group ? `.${group}` : ''}/${String(owner['name'])}` : '<none>';
  return [nameOf(object), controller, orNone(object['revision'], '0'), age(object, now)];
};

/** Kinds without a printer of their own: name and age. */
export const createdCells: Printer = (object) => [nameOf(object), getIn(object, 'metadata', 'creationTimestamp') ?? ''];
