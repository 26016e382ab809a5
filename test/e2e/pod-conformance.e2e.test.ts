// SPDX-License-Identifier: Apache-2.0
import { busyboxImage } from '@etcd-operator/tools/image';
import { reachKubelet } from '../conformance/pods/backend-kubelet.ts';
import { busybox, otherBusybox } from '../conformance/pods/pod-trial.ts';
import { runPodSubjects } from '../conformance/pods/run-subjects.ts';
import { theCluster } from './testing/cluster.ts';

/** kube-lab's claims about Pods (test/conformance/pods), verified with a real kubelet. */
runPodSubjects('kubelet', async () => {
  const cluster = await theCluster();
  await cluster.importImage(await busyboxImage([busybox, otherBusybox]));
  return reachKubelet(cluster.kubeconfig);
});
