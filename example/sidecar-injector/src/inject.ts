// SPDX-License-Identifier: Apache-2.0
import {
  applyStrategicPatch,
  type Container,
  createStrategicPatch,
  type PatchSchema,
  type Pod,
  patchSchemaOf,
} from '@operator-parts/kube';
import { joinPorts } from './join-ports.ts';
import type { Sidecar } from './sidecar.ts';

/** How lists in a Pod are merged: containers, volumes and environment variables by name, mounts by path. */
const schema: PatchSchema = patchSchemaOf('v1', 'Pod') ?? {};

/**
 * Adds the sidecar to a Pod by a two-way strategic merge patch: the difference between a Pod with these names and the
 * same Pod with the sidecar, applied to this one. A container with the same name is merged, not duplicated, so
 * injecting twice gives the same result. New items come last.
 */
export function inject(pod: Pod, sidecar: Sidecar): Pod {
  const { containers = [], volumes = [] } = pod.spec ?? {};
  const without = { containers: containers.map(nameOf), volumes: volumes.map(nameOf) };
  const wanted = {
    containers: joined(without.containers, sidecar.containers),
    volumes: joined(without.volumes, sidecar.volumes),
  };
  const merged = applyStrategicPatch(pod, createStrategicPatch({ spec: without }, { spec: wanted }, schema), schema);
  if (!merged.spec) return merged;
  const withPorts = (container: Container) => withAllPorts(container, containers, sidecar.containers);
  return { ...merged, spec: { ...merged.spec, containers: merged.spec.containers.map(withPorts) } };
}

/** The merged container, with all ports of the Pod and the sidecar. */
function withAllPorts(merged: Container, present: readonly Container[], added: readonly Container[]): Container {
  const [own, other] = [present, added].map((list) => list.find(({ name }) => name === merged.name)?.ports);
  return own && other ? { ...merged, ports: joinPorts(own, other) } : merged;
}

interface Named {
  readonly name: string;
}

function nameOf({ name }: Named): Named {
  return { name };
}

/** The existing items in order, each replaced by the added one with its name; then the other added ones. */
function joined(present: readonly Named[], added: readonly Named[]): readonly Named[] {
  const kept = present.map((one) => added.find(({ name }) => name === one.name) ?? one);
  return [...kept, ...added.filter((one) => !kept.includes(one))];
}
