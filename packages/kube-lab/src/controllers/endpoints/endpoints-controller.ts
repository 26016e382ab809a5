// SPDX-License-Identifier: Apache-2.0
import {
  type EndpointSlice,
  type Endpoints,
  endpointSlices,
  endpoints,
  isKubeError,
  jsonEqual,
  keyOf,
  keyString,
  type Pod,
  parseKey,
  pods,
  type Service,
  services,
} from '@operator-parts/kube';
import { familyOf, type IpFamily } from '../../network/addresses.ts';
import type { ControllerContext, RunningController } from '../controller.ts';
import { hasLabels } from '../label-match.ts';
import { ReconcileLoop } from '../reconcile-loop.ts';
import { endpointsObject, sliceManager, sliceObjects } from './endpoint-objects.ts';
import { serviceEndpoints } from './service-endpoints.ts';

/** Keeps the Endpoints and EndpointSlices of every Service with a selector up to date. */
export function startEndpointsController(context: ControllerContext): RunningController {
  const { caches, clock, log } = context;
  const serviceCache = caches.of(services);
  const podCache = caches.of(pods);
  const loop = new ReconcileLoop({ name: 'endpoints', clock, log, reconcile: (key) => reconcile(context, key) });
  const selected = new Map<string, Readonly<Record<string, string>> | undefined>();
  const touch = (pod: Pod) => {
    for (const service of serviceCache.inNamespace(pod.metadata?.namespace ?? '')) {
      const { selector } = service.spec ?? {};
      const before = selected.get(pod.metadata?.uid ?? '');
      const concerns = selector && (hasLabels(selector, pod.metadata?.labels) || hasLabels(selector, before));
      if (concerns) loop.enqueue(keyString(keyOf(service)));
    }
  };
  const leave = [
    serviceCache.subscribe(({ object }) => loop.enqueue(keyString(keyOf(object)))),
    podCache.subscribe(({ type, object }) => {
      touch(object);
      if (type === 'DELETED') selected.delete(object.metadata?.uid ?? '');
      else selected.set(object.metadata?.uid ?? '', object.metadata?.labels);
    }),
  ];
  return {
    close: () => {
      for (const each of leave) each();
      loop.close();
    },
  };
}

async function reconcile(context: ControllerContext, key: string): Promise<undefined> {
  const { namespace = '', name } = parseKey(key);
  const service = context.caches.of(services).get(namespace, name);
  if (!service) {
    // The garbage collector deletes the slices with the Service; the Endpoints object has no owner reference.
    await ignoreMissing(context.client.resource(endpoints).delete({ namespace, name }));
    return;
  }
  if (!service.spec?.selector || service.spec.type === 'ExternalName') return;
  const known = context.caches.of(pods).inNamespace(namespace);
  const families = familiesOf(service);
  // Endpoints, unlike slices, support one IP family only.
  const first = serviceEndpoints(service, known, families[0] ?? 'IPv4');
  await writeEndpoints(context, endpointsObject(service, first));
  for (const family of ['IPv4', 'IPv6'] as const) {
    const found = serviceEndpoints(service, known, family);
    const wanted = families.includes(family) ? sliceObjects(service, found, family) : [];
    await writeSlices(context, service, wanted, family);
  }
}

/** The IP families of a Service. A headless Service has no cluster IPs; its families are those in `ipFamilies`. */
function familiesOf({ spec }: Service): readonly IpFamily[] {
  if (spec?.clusterIP !== 'None') return (spec?.clusterIPs ?? []).map(familyOf);
  return (['IPv4', 'IPv6'] as const)
    .filter((family) => spec.ipFamilies?.includes(family))
    .toSorted((left, right) => (spec.ipFamilies?.indexOf(left) ?? 0) - (spec.ipFamilies?.indexOf(right) ?? 0));
}

async function writeEndpoints({ caches, client }: ControllerContext, wanted: Endpoints): Promise<void> {
  const { namespace, name } = keyOf(wanted);
  const present = caches.of(endpoints).get(namespace, name);
  if (!present) {
    await client.resource(endpoints).create(wanted);
    return;
  }
  const isSame =
    jsonEqual(present.subsets, wanted.subsets) && jsonEqual(present.metadata?.labels, wanted.metadata?.labels);
  if (isSame) return;
  const { subsets: _subsets, ...rest } = present;
  const metadata = { ...present.metadata, labels: wanted.metadata?.labels ?? {} };
  const subsets = wanted.subsets ? { subsets: wanted.subsets } : {};
  await client.resource(endpoints).replace({ ...rest, metadata, ...subsets });
}

/** Existing slices of a family are reused, in the order of their names, so that a change of a pod changes one slice. */
async function writeSlices(
  { caches, client }: ControllerContext,
  service: Service,
  wanted: readonly EndpointSlice[],
  family: IpFamily,
): Promise<void> {
  const present = caches
    .of(endpointSlices)
    .inNamespace(service.metadata?.namespace ?? '')
    .filter((slice) => isOwn(slice, service) && slice.addressType === family)
    .toSorted((left, right) => ((left.metadata?.name ?? '') < (right.metadata?.name ?? '') ? -1 : 1));
  for (const [index, slice] of wanted.entries()) {
    const old = present[index];
    if (!old) await client.resource(endpointSlices).create(slice);
    else if (!isSameSlice(old, slice)) {
      const metadata = { ...old.metadata, labels: slice.metadata?.labels ?? {} };
      await client.resource(endpointSlices).replace({ ...slice, metadata });
    }
  }
  for (const old of present.slice(wanted.length)) {
    await ignoreMissing(client.resource(endpointSlices).delete(keyOf(old)));
  }
}

function isOwn({ metadata }: EndpointSlice, service: Service): boolean {
  return (
    metadata?.labels?.['kubernetes.io/service-name'] === service.metadata?.name &&
    metadata?.labels?.['endpointslice.kubernetes.io/managed-by'] === sliceManager &&
    metadata?.ownerReferences?.some(({ uid }) => uid === service.metadata?.uid) === true
  );
}

function isSameSlice(left: EndpointSlice, right: EndpointSlice): boolean {
  return (
    jsonEqual(left.endpoints ?? [], right.endpoints ?? []) &&
    jsonEqual(left.ports ?? [], right.ports ?? []) &&
    jsonEqual(left.metadata?.labels, right.metadata?.labels)
  );
}

async function ignoreMissing(deletion: Promise<unknown>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
  }
}
