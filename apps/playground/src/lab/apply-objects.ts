// SPDX-License-Identifier: Apache-2.0
import { createClient, Discovery, isKubeError, type KubeObject, type Transport } from '@operator-parts/kube';
import { type Clock, systemClock } from '@operator-parts/ports';
import { parseAllDocuments } from 'yaml';
import { namespace as defaultNamespace } from './example-cluster.ts';

/** An object that cannot be applied, and why. */
class ApplyError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ApplyError';
  }
}

export interface ApplyOptions {
  readonly transport: Transport;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

/** The objects in a text of YAML or JSON documents. */
export function objectsIn(text: string): readonly KubeObject[] {
  const documents = parseAllDocuments(text);
  const broken = documents.flatMap(({ errors }) => errors)[0];
  if (broken) throw new ApplyError(`the file is not valid YAML: ${broken.message.split('\n')[0]}`);
  const values = documents.map((document) => document.toJS() as unknown).filter((value) => value !== null);
  return values.map((value) => {
    const object = value as KubeObject;
    if (typeof value !== 'object' || !object.apiVersion || !object.kind || !object.metadata?.name)
      throw new ApplyError('every object needs apiVersion, kind and metadata.name');
    return object;
  });
}

/** Applies objects in order, like kubectl with --server-side. Resolves with a line for each. */
export async function applyObjects(objects: readonly KubeObject[], options: ApplyOptions): Promise<readonly string[]> {
  const client = createClient(options.transport);
  const lines: string[] = [];
  for (const object of objects) {
    const resource = await resourceOf(object, options);
    const name = object.metadata?.name ?? '';
    const metadata = resource.namespaced
      ? { ...object.metadata, namespace: object.metadata?.namespace ?? defaultNamespace }
      : object.metadata;
    const apply = { fieldManager: 'playground', force: true, signal: options.signal };
    await client.resource(resource).apply({ ...object, ...(metadata && { metadata }) }, apply);
    lines.push(`${object.kind ?? ''} ${name} was applied`);
  }
  return lines;
}

/** Waits a moment for a kind that an operator is about to install. */
async function resourceOf({ apiVersion = '', kind = '' }: KubeObject, { transport, signal, clock }: ApplyOptions) {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const time = clock ?? systemClock;
  const discovery = new Discovery(transport, { maxAge: 0 });
  for (let attempt = 0; attempt < 50; attempt++) {
    const found = await discovery.find({ group: group ?? '', version: version ?? '', kind }).catch((error: unknown) => {
      if (isKubeError(error)) return undefined;
      throw error;
    });
    if (found) return found;
    await time.sleep(100, signal);
  }
  throw new ApplyError(`the API server does not know ${kind} of ${apiVersion}`);
}
