// SPDX-License-Identifier: Apache-2.0
import { setControllerReference } from '@operator-parts/controller-runtime';
import { type KubeObject, keyOf, type Service, type StatefulSet } from '@operator-parts/kube';
import { type Store, stores } from './store.ts';

const port = 7000;

/** The pod for writes: always the first. A StatefulSet deletes and updates it last. */
export const primaryOf = (store: Store) => `${store.metadata?.name}-0`;

/** The three Services: DNS names for the pods, one address for writes, one for reads. */
export function servicesOf(store: Store): readonly Service[] {
  const { name = '' } = store.metadata ?? {};
  const selector = labelsOf(store);
  const ports = [{ name: 'http', port }];
  return [
    // Replicas resolve the primary's name before any pod is ready.
    service(store, name, { clusterIP: 'None', publishNotReadyAddresses: true, selector, ports }),
    service(store, `${name}-write`, {
      selector: { ...selector, 'statefulset.kubernetes.io/pod-name': primaryOf(store) },
      ports,
    }),
    service(store, `${name}-read`, { selector, ports }),
  ];
}

/** Pods with stable ordinals, names and volumes, all created by the StatefulSet controller. */
export function statefulSetOf(store: Store): StatefulSet {
  const { name = '' } = store.metadata ?? {};
  const { replicas = 1, image = '', storage = '' } = store.spec;
  const labels = labelsOf(store);
  return owned(store, {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { ...keyOf(store), labels },
    spec: {
      replicas,
      serviceName: name,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: 'database',
              image,
              imagePullPolicy: 'IfNotPresent',
              command: ['key-value-store', `-primary=http://${primaryOf(store)}.${name}:${port}`, `-port=${port}`],
              ports: [{ name: 'http', containerPort: port }],
              volumeMounts: [{ name: 'data', mountPath: '/data' }],
              // A replica is ready when it has all data of the primary.
              readinessProbe: { httpGet: { path: '/ready', port: 'http' }, periodSeconds: 1 },
            },
          ],
        },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: String(storage) } } },
        },
      ],
    },
  });
}

function service(store: Store, name: string, spec: NonNullable<Service['spec']>): Service {
  const metadata = { ...keyOf(store), name, labels: labelsOf(store) };
  return owned(store, { apiVersion: 'v1', kind: 'Service', metadata, spec });
}

/** Owned objects are deleted with the store, and their changes trigger a reconciliation of it. */
function owned<T extends KubeObject>(store: Store, object: T): T {
  return setControllerReference(object, store, stores.resource);
}

const labelsOf = (store: Store) => ({ 'app.kubernetes.io/name': 'key-value-store', store: store.metadata?.name ?? '' });
