// SPDX-License-Identifier: Apache-2.0
import {
  buildController,
  done,
  isBeingDeleted,
  isControlledBy,
  type Manager,
  setControllerReference,
} from '@operator-parts/controller-runtime';
import { type Deployment, deployments, isKubeError, jsonEqual, keyOf, type Writer } from '@operator-parts/kube';
import { type Network, networks } from './network.ts';

/** A Deployment with this annotation gets a Network with its own name: `192.168.7.0/24 via 192.168.7.1`. */
export const annotation = 'samplecrd.k8s.io/network';

/**
 * The second informer: a Network for every annotated Deployment. The Deployment owns the Network: it changes with the
 * annotation, is recreated after a deletion, and is deleted with the Deployment. A Network with the same name and
 * another owner is not touched.
 */
export function addDeploymentNetworks(manager: Manager): void {
  const cachedDeployments = manager.informer(deployments);
  const cachedNetworks = manager.informer(networks.resource);
  const events = manager.eventRecorder('network-controller');

  buildController(manager, { name: 'deployment-networks' })
    .forKind(deployments)
    .owns(networks.resource)
    // Another owner's Network with this name may be gone.
    .watches(networks.resource, (network) => [keyOf(network)])
    .complete(async (request, { client, signal }) => {
      const deployment = cachedDeployments.lister.get(request);
      // The garbage collector of Kubernetes deletes the objects that a deleted Deployment owned.
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
        // A retry will not help: the annotation must change, which triggers the next reconciliation.
        events.record(deployment, 'Warning', 'InvalidNetwork', error.message);
      }
      return done();
    });
}

/** The Network of a Deployment, if it is annotated. The API server validates it. */
function networkOf(deployment: Deployment): Network | undefined {
  const text = deployment.metadata?.annotations?.[annotation];
  if (text === undefined) return undefined;
  const [cidr = '', gateway = ''] = text.split(' via ');
  const network: Network = { metadata: keyOf(deployment), spec: { cidr, gateway } };
  return setControllerReference(network, deployment, deployments);
}

/**
 * At most one write, always with a precondition: that the object is new, or has the version or the UID that was seen.
 */
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
