// SPDX-License-Identifier: Apache-2.0
import {
  applyStrategicPatch,
  createStrategicPatch,
  type PatchSchema,
  type Pod,
  patchSchemaOf,
} from '@etcd-operator/kube';
import type { Sidecar } from './sidecar.ts';

/** How lists in a Pod are merged: containers and volumes by their names, environments by theirs, ports by their numbers. */
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
  return applyStrategicPatch(pod, createStrategicPatch({ spec: without }, { spec: wanted }, schema), schema);
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
