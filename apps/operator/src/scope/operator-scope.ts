// SPDX-License-Identifier: Apache-2.0
import type {
  ControllerBuilder,
  DeepReadonly,
  EventRecorder,
  Manager,
  Predicate,
} from '@operator-parts/controller-runtime';
import {
  endpoints,
  type KubeObject,
  keyOf,
  type Lease,
  leases,
  type ObjectKey,
  type Resource,
} from '@operator-parts/kube';
import { lockRecord, recordHolder } from '../coreos-operator.ts';
import type { OperatorOptions } from '../prepare-operator.ts';
import { Claims } from './claims.ts';
import { Responsibility, type ResponsibilityOptions } from './responsibility.ts';

/** The objects that an operator manages. */
export interface OperatorScope {
  readonly isClusterWide: boolean;
  /** True if the operator manages a namespace other than its own: the users of that namespace are not those of the operator's namespace. */
  readonly isShared: boolean;
  /** The name of a controller. It is unique if a process has an operator for each of several namespaces, because the metrics contain it. */
  controllerName(kind: string): string;
  /** The responsibility for a kind that it reconciles. */
  responsibility<T extends KubeObject>(resource: Resource<T>): Responsibility<T>;
  /** Lets a controller reconcile the objects of a namespace again when an operator of that namespace starts or stops. */
  watch(builder: ControllerBuilder, objectsIn: (namespace: string) => readonly ObjectKey[]): ControllerBuilder;
}

/** The operators in the image. */
export const programNames = ['etcd-operator', 'etcd-backup-operator', 'etcd-restore-operator'] as const;

/** The name of an operator's Lease. A cluster-wide operator uses another name, so that both kinds of operator can run in one namespace. */
export function leaseName(program: string, isClusterWide: boolean): string {
  return isClusterWide ? `${program}-cluster-wide` : program;
}

export function operatorScope(
  program: string,
  options: Pick<OperatorOptions, 'namespace' | 'watched' | 'clusterWide' | 'onlyAnnotated'>,
  manager: Manager,
  events: EventRecorder,
): OperatorScope {
  const { clock } = manager;
  const { namespace: home, watched, clusterWide = false, onlyAnnotated = false } = options;
  const controllerName = (kind: string) => (watched === undefined ? kind : `${kind}/${watched}`);
  const make = <T extends KubeObject>(resource: Resource<T>, of: ResponsibilityOptions) => {
    const responsibility = new Responsibility(resource, of);
    manager.onServerDataReplaced(() => responsibility.forgetServerData());
    return responsibility;
  };
  if (!clusterWide) {
    return {
      isClusterWide: false,
      isShared: watched !== undefined && watched !== home,
      controllerName,
      responsibility: (resource) => make(resource, { clock, events, home, reach: { kind: 'namespace' } }),
      watch: (builder) => builder,
    };
  }
  const selection = { fieldSelector: `metadata.name=${program}` };
  const claims = new Claims({
    clock,
    name: program,
    leases: manager.informer(leases, selection),
    locks: manager.informer(endpoints, selection),
  });
  const others = { claims, leaseName: program, clusterWideLeaseName: leaseName(program, true) };
  const reach = { kind: 'cluster', onlyAnnotated } as const;
  return {
    isClusterWide: true,
    isShared: true,
    controllerName,
    responsibility: (resource) => make(resource, { clock, events, home, reach, others }),
    watch: (builder, objectsIn) => {
      const ofNamespace = (object: KubeObject) => objectsIn(object.metadata?.namespace ?? '');
      return builder
        .watches(leases, ofNamespace, { ...selection, predicate: changed(leaseHolder) })
        .watches(endpoints, ofNamespace, {
          ...selection,
          predicate: changed((lock) => recordHolder(lockRecord(lock))),
        });
    },
  };
}

/** Only a new holder matters; renewals of a Lease every few seconds are ignored. */
function changed<T extends KubeObject>(of: (object: DeepReadonly<T>) => string): Predicate<T> {
  return { updated: (before, after) => of(before) !== of(after) };
}

function leaseHolder({ spec }: DeepReadonly<Lease>): string {
  return spec?.holderIdentity ?? '';
}

/** Lists the keys of the objects of a namespace, for `watch`. */
export function keysIn(list: (selection: { readonly namespace: string }) => readonly KubeObject[]) {
  return (namespace: string): readonly ObjectKey[] => list({ namespace }).map(keyOf);
}
