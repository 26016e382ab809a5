// SPDX-License-Identifier: Apache-2.0
/** Common parts of the valid objects. */

export const metadata = {
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
