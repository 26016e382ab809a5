// SPDX-License-Identifier: Apache-2.0
import type { EtcdCluster } from '@etcd-operator/operator';
import { parseAllDocuments } from 'yaml';
import { CliError } from './cli-error.ts';

/** The EtcdCluster in a YAML or JSON file, which may contain other objects too. */
export function clusterInFile(file: string, text: string): EtcdCluster {
  const documents = parseAllDocuments(text);
  const broken = documents.flatMap(({ errors }) => errors)[0];
  if (broken) throw new CliError('BadFile', `${file} is not YAML: ${broken.message.split('\n')[0]}`);
  const found = documents.map((document) => document.toJS() as unknown).filter(isCluster);
  const [only] = found;
  if (!only) throw new CliError('BadFile', `${file} contains no EtcdCluster of etcd.database.coreos.com/v1beta2`);
  if (found.length > 1)
    throw new CliError('BadFile', `${file} contains ${found.length} EtcdClusters: plan only one at a time`);
  return only;
}

function isCluster(value: unknown): value is EtcdCluster {
  if (typeof value !== 'object' || value === null) return false;
  const { apiVersion, kind, metadata, spec } = value as Readonly<Record<string, unknown>>;
  return (
    apiVersion === 'etcd.database.coreos.com/v1beta2' &&
    kind === 'EtcdCluster' &&
    typeof (metadata as { name?: unknown } | undefined)?.name === 'string' &&
    typeof spec === 'object' &&
    spec !== null
  );
}
