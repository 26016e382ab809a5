// SPDX-License-Identifier: Apache-2.0
import {
  applyStrategicPatch,
  type Container,
  createStrategicPatch,
  type PatchSchema,
  type Pod,
  patchSchemaOf,
} from '@etcd-operator/kube';
import { joinPorts } from './join-ports.ts';
import type { Sidecar } from './sidecar.ts';

/** How lists in a Pod are merged: containers and volumes by their names, environments by theirs, mounts by their paths. */
const schema: PatchSchema = patchSchemaOf('v1', 'Pod') ?? {};

/**
 * The Pod with the sidecar in it, by a two-way strategic merge patch: the difference between a Pod with these names and
 * a Pod with these names and the sidecar, applied to this one. A container that the Pod has already under that name is merged,
 * not doubled; so injecting twice is the same as injecting once. What is new comes last.
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

/** The merged container, with every port that the Pod or the sidecar has for it. */
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

/** The present ones in their order, each replaced by the added one of its name; then the other added ones. */
function joined(present: readonly Named[], added: readonly Named[]): readonly Named[] {
  const kept = present.map((one) => added.find(({ name }) => name === one.name) ?? one);
  return [...kept, ...added.filter((one) => !kept.includes(one))];
}
