// SPDX-License-Identifier: Apache-2.0
import type { KubeObject, ObjectMeta, Resource } from '@operator-parts/kube';
import { checkKind } from './check/check-kind.ts';
import { DeclarationError } from './declaration-error.ts';
import type { Schema, ValueOf } from './schema.ts';
import type { StructuralSchema, ValidationRule } from './structural-schema.ts';

/** A column of `kubectl get`. */
export interface Column {
  readonly name: string;
  /** `.status.phase`, `.status.conditions[?(@.type=="Ready")].status`, `.metadata.creationTimestamp` */
  readonly path: string;
  /** @default the type of the field in the schema */
  readonly type?: ColumnType;
  readonly description?: string;
  /** Above 0: shown with `-o wide` only. @default 0 */
  readonly priority?: number;
}

export type ColumnType = 'integer' | 'number' | 'string' | 'boolean' | 'date';

/** Where `kubectl scale` and autoscalers read and write the number of replicas. */
export interface Scale {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  /** A string field that holds the label selector of the pods. */
  readonly labelSelectorPath?: string;
}

/** The declaration of a kind, without the types of its fields. */
export interface KindFacts {
  /** A domain, such as `etcd.database.coreos.com`. */
  readonly group: string;
  readonly version: string;
  /** In CamelCase, singular. */
  readonly kind: string;
  /** In lower case. */
  readonly plural: string;
  /** @default the kind in lower case */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  /** Categories: groups of kinds for `kubectl get`, such as `all`. */
  readonly categories?: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster';
  readonly description?: string;
  /** Rules on the whole object. Of `self.metadata`, rules can read `name` and `generateName` only. */
  readonly rules?: readonly ValidationRule[];
  readonly columns?: readonly Column[];
  readonly scale?: Scale;
  /** Fields that field selectors can use. */
  readonly selectableFields?: readonly string[];
  /** The warning that the API server returns for every request with this version. */
  readonly deprecated?: string;
  /** Annotations of the CRD itself, such as `api-approved.kubernetes.io`, which groups below `k8s.io` need. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The argument of `defineKind`. */
export interface KindDeclaration<
  G extends string,
  V extends string,
  K extends string,
  Spec extends Schema,
  Status extends Schema,
> extends KindFacts {
  readonly group: G;
  readonly version: V;
  readonly kind: K;
  /** Constrains `metadata.name`. */
  readonly name?: Schema<string>;
  readonly spec: Spec;
  /** The fields that controllers write. Declaring it enables the status subresource. */
  readonly status?: Status;
}

type SpecPart<S extends Schema> =
  S extends Schema<unknown, 'required'> ? { readonly spec: ValueOf<S> } : { readonly spec?: ValueOf<S> };

type StatusPart<S extends Schema> = [S] extends [never] ? object : { readonly status?: ValueOf<S> };

/** The TypeScript type of the objects of a kind. */
export type KindObject<
  G extends string,
  V extends string,
  K extends string,
  Spec extends Schema,
  Status extends Schema,
> = { readonly apiVersion?: `${G}/${V}`; readonly kind?: K; readonly metadata?: ObjectMeta } & SpecPart<Spec> &
  StatusPart<Status>;

/**
 * A declared kind: the input of `crdOf` and `referencePage`; `resource` is the descriptor for clients and informers.
 */
export interface Kind<T extends KubeObject = KubeObject> extends KindFacts {
  readonly resource: Resource<T>;
  /** The schema of the whole object. */
  readonly schema: StructuralSchema;
  readonly hasStatus: boolean;
}

/** The TypeScript type of a declared kind: `type EtcdCluster = KindOf<typeof etcdClusters>`. */
export type KindOf<K extends Kind> = K extends Kind<infer T> ? T : never;

/**
 * Declares a kind. Throws a `DeclarationError` with the paths of all errors that the API server would refuse. Only the
 * server checks whether CEL rules compile and are cheap enough.
 */
export function defineKind<
  const G extends string,
  const V extends string,
  const K extends string,
  Spec extends Schema,
  Status extends Schema = never,
>(declaration: KindDeclaration<G, V, K, Spec, Status>): Kind<KindObject<G, V, K, Spec, Status>> {
  const { spec, status, name, ...facts } = declaration;
  const { group, version, kind, plural } = facts;
  const made = {
    ...facts,
    resource: { group, version, kind, plural, namespaced: facts.scope === 'Namespaced' },
    schema: rootSchema(declaration),
    hasStatus: status !== undefined,
  };
  const problems = checkKind(made);
  if (problems.length > 0) throw new DeclarationError(kind, problems);
  return made;
}

interface RootParts extends Pick<KindFacts, 'description' | 'rules'> {
  readonly name?: Schema<string>;
  readonly spec: Schema;
  readonly status?: Schema;
}

function rootSchema({ description, rules, name, spec, status }: RootParts): StructuralSchema {
  return {
    ...(description && { description }),
    type: 'object',
    ...(spec.presence === 'required' && { required: ['spec'] }),
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object', ...(name && { properties: { name: name.structural } }) },
      spec: spec.structural,
      ...(status && { status: status.structural }),
    },
    ...(rules?.length && { 'x-kubernetes-validations': rules }),
  };
}
