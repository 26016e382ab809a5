// SPDX-License-Identifier: Apache-2.0
import type { PersistentVolumeClaimSpec, Pod, Service, StatefulSet } from '@etcd-operator/kube';
import { etcdStatefulSet } from '../../test/e2e/testing/stateful-set.ts';

/** The StatefulSet of B9, with a volume for each pod. */
export function etcdSetOnVolumes(
  name: string,
  namespace: string,
  image: string,
  claim: PersistentVolumeClaimSpec,
): readonly [Service, StatefulSet] {
  const [service, set] = etcdStatefulSet(name, namespace, image) as readonly [Service, StatefulSet];
  const { spec } = set;
  if (!spec?.template.spec) throw new Error('the StatefulSet has no pods');
  const template = { ...spec.template, spec: { ...spec.template.spec, volumes: [] } };
  return [
    { ...service, metadata: { ...service.metadata, namespace } },
    {
      ...set,
      metadata: { ...set.metadata, namespace },
      spec: { ...spec, template, volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }] },
    },
  ];
}

/** One etcd in one pod, alone: what a pod start takes. */
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
