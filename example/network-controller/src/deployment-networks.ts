// SPDX-License-Identifier: Apache-2.0
import {
  buildController,
  done,
  isBeingDeleted,
  isControlledBy,
  type Manager,
  setControllerReference,
} from '@etcd-operator/controller-runtime';
import { type Deployment, deployments, isKubeError, jsonEqual, keyOf, type Writer } from '@etcd-operator/kube';
import { type Network, networks } from './network.ts';

/** A Deployment that has it gets a Network of its own name: `192.168.7.0/24 via 192.168.7.1`. */
export const annotation = 'samplecrd.k8s.io/network';

/**
 * The second informer: a Network for every Deployment that asks for one. The Network belongs to the Deployment: it changes
 * with the annotation, comes back when somebody deletes it, and goes with the Deployment. A Network of the same name that
 * belongs to somebody else is left alone.
 */
export function addDeploymentNetworks(manager: Manager): void {
  const cachedDeployments = manager.informer(deployments);
  const cachedNetworks = manager.informer(networks.resource);
  const events = manager.eventRecorder('network-controller');

  buildController(manager, { name: 'deployment-networks' })
    .forKind(deployments)
    .owns(networks.resource)
    // A Network of somebody else that stood in the way may be gone.
    .watches(networks.resource, (network) => [keyOf(network)])
    .complete(async (request, { client, signal }) => {
      const deployment = cachedDeployments.lister.get(request);
      // A deleted Deployment takes what belongs to it along: the garbage collector of Kubernetes sees to that.
      if (!deployment || isBeingDeleted(deployment)) return done();
      const wanted = networkOf(deployment);
      const present = cachedNetworks.lister.get(request);
      if (present && !isControlledBy(present, deployment)) {
        if (wanted) events.record(deployment, 'Warning', 'NetworkTaken', 'a Network of this name belongs to others');
        return done();
      }
      try {
        await adjust(client.resource(networks.resource), present, wanted, signal);
      } catch (error) {
        if (!isKubeError(error, 'Invalid')) throw error;
        // Trying again will not help: the annotation must change, and that brings the request again.
        events.record(deployment, 'Warning', 'InvalidNetwork', error.message);
      }
      return done();
    });
}

/** The Network that a Deployment asks for, if it does. Whether it makes sense is for the API server to judge. */
function networkOf(deployment: Deployment): Network | undefined {
  const text = deployment.metadata?.annotations?.[annotation];
  if (text === undefined) return undefined;
  const [cidr = '', gateway = ''] = text.split(' via ');
  const network: Network = { metadata: keyOf(deployment), spec: { cidr, gateway } };
  return setControllerReference(network, deployment, deployments);
}

/** One write at most, and none without a precondition: that it is new, or of the version or the UID that was seen. */
async function adjust(
  api: Writer<Network>,
  present: Network | undefined,
  wanted: Network | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (!present) {
    if (wanted) await api.create(wanted, { signal });
  } else if (!wanted) {
    await api.delete(keyOf(present), { signal, preconditions: { uid: present.metadata?.uid ?? '' } });
  } else if (!jsonEqual(present.spec, wanted.spec)) {
    await api.replace({ ...present, spec: wanted.spec }, { signal });
  }
}
