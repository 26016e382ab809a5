// SPDX-License-Identifier: Apache-2.0
import type { BaseObject } from './refused.ts';

/** Common parts of the valid objects. */

const metadata = {
  name: 'obj',
  labels: { a: 'b', 'example.com/x': 'y' },
  annotations: { n: 'v' },
  finalizers: ['example.com/f'],
  ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'o', uid: 'u', controller: true, blockOwnerDeletion: true }],
};

export const selector = {
  matchLabels: { app: 'x' },
  matchExpressions: [{ key: 'app', operator: 'In', values: ['x', 'y'] }],
};

export const claimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' }, limits: { storage: '2Gi' } },
  storageClassName: 'sc',
  volumeMode: 'Filesystem',
  selector: selector,
};

type Made = ReturnType<BaseObject>;

/** An object of a resource (`apps/v1/deployments`) and kind, with the common metadata and these fields. */
export function inNamespace(ns: string, resource: string, kind: string, fields: object): Made {
  return made(resource, `namespaces/${ns}/`, kind, fields);
}

export const onCluster = (resource: string, kind: string, fields: object): Made => made(resource, '', kind, fields);

function made(resource: string, place: string, kind: string, fields: object): Made {
  const [plural = '', version, group] = resource.split('/').reverse();
  const apiVersion = group === undefined ? `${version}` : `${group}/${version}`;
  return {
    path: `/${group === undefined ? 'api' : 'apis'}/${apiVersion}/${place}${plural}`,
    kind: group === undefined ? kind : `${kind}.${group}`,
    object: { apiVersion, kind, metadata, ...fields },
  };
}
