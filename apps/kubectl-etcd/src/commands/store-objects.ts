// SPDX-License-Identifier: Apache-2.0
import type { KubeObject, Resource } from '@etcd-operator/kube';
import type { S3Location } from '../command-line.ts';

/** An EtcdBackup or EtcdRestore, as far as this program writes and reads it. */
export interface StoreObject extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: {
    readonly succeeded?: boolean;
    /** The original spells it with a capital letter on EtcdBackups. */
    readonly Reason?: string;
    readonly reason?: string;
    readonly etcdRevision?: number;
    readonly etcdVersion?: string;
  };
}

const served = { group: 'etcd.database.coreos.com', version: 'v1beta2', namespaced: true } as const;

export const etcdBackups: Resource<StoreObject> = { ...served, kind: 'EtcdBackup', plural: 'etcdbackups' };
export const etcdRestores: Resource<StoreObject> = { ...served, kind: 'EtcdRestore', plural: 'etcdrestores' };

/** `spec.s3` of both kinds. */
export function s3Source({ path, awsSecret, endpoint, forcePathStyle }: S3Location): Readonly<Record<string, unknown>> {
  return {
    path,
    awsSecret,
    ...(endpoint !== undefined && { endpoint }),
    ...(forcePathStyle && { forcePathStyle }),
  };
}
