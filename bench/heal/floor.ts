// SPDX-License-Identifier: Apache-2.0
import type { PersistentVolumeClaimSpec, Pod, Service, StatefulSet } from '@operator-parts/kube';
import { etcdStatefulSet } from '../../test/e2e/testing/scenes/stateful-set.ts';

const at = (path: string) => ({ httpGet: { path, port: 2379 } });

/** The operator's probe interval for members: a kubelet processes probe results before it ends any pod. */
const probes = {
  startupProbe: { ...at('/livez'), periodSeconds: 2, timeoutSeconds: 3, failureThreshold: 300 },
  readinessProbe: { ...at('/readyz'), periodSeconds: 2, timeoutSeconds: 3, failureThreshold: 3 },
  livenessProbe: { ...at('/livez'), periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
};

/** The StatefulSet of B9, with a volume for each pod and with probes. */
export function etcdSetOnVolumes(
  name: string,
  namespace: string,
  image: string,
  claim: PersistentVolumeClaimSpec,
): readonly [Service, StatefulSet] {
  const [service, set] = etcdStatefulSet(name, namespace, image) as readonly [Service, StatefulSet];
  const { spec } = set;
  if (!spec?.template.spec) throw new Error('the StatefulSet has no pods');
  const containers = spec.template.spec.containers.map((container) => ({ ...container, ...probes }));
  const template = { ...spec.template, spec: { ...spec.template.spec, containers, volumes: [] } };
  return [
    { ...service, metadata: { ...service.metadata, namespace } },
    {
      ...set,
      metadata: { ...set.metadata, namespace },
      spec: { ...spec, template, volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }] },
    },
  ];
}

/** A single etcd in one pod: the duration of a pod start. */
export function lonelyPod(name: string, namespace: string, image: string): Pod {
  const command = ['/usr/local/bin/etcd', '--data-dir=/var/etcd/data', '--listen-client-urls=http://0.0.0.0:2379'];
  return {
    metadata: { name, namespace, labels: { 'bench-etcd': name } },
    spec: {
      containers: [
        {
          name: 'etcd',
          image,
          command: [...command, '--advertise-client-urls=http://127.0.0.1:2379'],
          volumeMounts: [{ name: 'data', mountPath: '/var/etcd' }],
        },
      ],
      volumes: [{ name: 'data', emptyDir: {} }],
    },
  };
}
