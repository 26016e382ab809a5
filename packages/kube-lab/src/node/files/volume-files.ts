// SPDX-License-Identifier: Apache-2.0
import type { Pod, Volume, VolumeProjection } from '@operator-parts/kube';
import { ConfigError, type ConfigSource } from '../environment/config-source.ts';
import { fieldValue, type PodRuntimeFacts } from '../environment/field-path.ts';
import { resourceValue } from '../environment/resource-field.ts';

/** One file of a volume. */
export interface VolumeFile {
  readonly bytes: Uint8Array;
  readonly mode: number;
}

/** Files of a volume by their path in it. */
export type VolumeFiles = ReadonlyMap<string, VolumeFile>;

interface Context {
  readonly pod: Pod;
  readonly where: PodRuntimeFacts;
  readonly config: ConfigSource;
}

type Items = readonly { readonly key: string; readonly path: string; readonly mode?: number }[];

const defaultFileMode = 0o644;
const defaultTokenSeconds = 3600;

/**
 * The content of a volume with API objects: Secret, ConfigMap, downward API, or several projected into one. Undefined
 * for other volumes. Throws a `ConfigError` if a required object is missing.
 */
export async function volumeFiles(context: Context, volume: Volume): Promise<VolumeFiles | undefined> {
  const { secret, configMap, downwardAPI, projected } = volume;
  if (secret) {
    const source = { ...(secret.secretName ? { name: secret.secretName } : {}), ...secret };
    return new Map(await projection(context, { secret: source }, secret.defaultMode ?? defaultFileMode));
  }
  if (configMap) return new Map(await projection(context, { configMap }, configMap.defaultMode ?? defaultFileMode));
  if (downwardAPI)
    return new Map(await projection(context, { downwardAPI }, downwardAPI.defaultMode ?? defaultFileMode));
  if (!projected) return undefined;
  const mode = projected.defaultMode ?? defaultFileMode;
  const parts: (readonly [string, VolumeFile])[] = [];
  for (const source of projected.sources ?? []) parts.push(...(await projection(context, source, mode)));
  return new Map(parts);
}

async function projection(
  context: Context,
  source: VolumeProjection,
  mode: number,
): Promise<readonly (readonly [string, VolumeFile])[]> {
  const namespace = context.pod.metadata?.namespace ?? '';
  if (source.secret) {
    const { name = '', items, optional } = source.secret;
    const data = context.config.secret(namespace, name)?.data;
    return pick('secret', name, data && bytesOf(data, 'base64'), items, optional, mode);
  }
  if (source.configMap) {
    const { name = '', items, optional } = source.configMap;
    const object = context.config.configMap(namespace, name);
    const data =
      object && new Map([...bytesOf(object.data ?? {}, 'utf8'), ...bytesOf(object.binaryData ?? {}, 'base64')]);
    return pick('configmap', name, data, items, optional, mode);
  }
  if (source.downwardAPI) return downwardFiles(context, source.downwardAPI.items ?? [], mode);
  if (source.serviceAccountToken) {
    const { path, audience, expirationSeconds = defaultTokenSeconds } = source.serviceAccountToken;
    const token = await context.config.token(context.pod, audience, expirationSeconds);
    return [[path, { bytes: Buffer.from(token), mode: 0o600 }]];
  }
  return [];
}

function downwardFiles(
  { pod, where }: Context,
  items: NonNullable<NonNullable<VolumeProjection['downwardAPI']>['items']>,
  mode: number,
): readonly (readonly [string, VolumeFile])[] {
  return items.map((item) => {
    const [container] = pod.spec?.containers ?? [];
    const text =
      item.resourceFieldRef && container
        ? resourceValue(pod, container, item.resourceFieldRef)
        : fieldValue(pod, where, item.fieldRef?.fieldPath ?? '');
    if (text === undefined) throw new ConfigError(`unsupported fieldPath: ${item.fieldRef?.fieldPath ?? ''}`);
    return [item.path, { bytes: Buffer.from(text), mode: item.mode ?? mode }] as const;
  });
}

function bytesOf(data: Readonly<Record<string, string>>, encoding: 'base64' | 'utf8'): Map<string, Uint8Array> {
  return new Map(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, encoding)]));
}

function pick(
  kind: string,
  name: string,
  data: ReadonlyMap<string, Uint8Array> | undefined,
  items: Items | undefined,
  optional: boolean | undefined,
  mode: number,
): readonly (readonly [string, VolumeFile])[] {
  if (!data) {
    if (optional) return [];
    throw new ConfigError(`${kind} "${name}" not found`);
  }
  const wanted: Items = items ?? [...data.keys()].map((key) => ({ key, path: key }));
  return wanted.flatMap((item) => {
    const bytes = data.get(item.key);
    if (bytes) return [[item.path, { bytes, mode: item.mode ?? mode }] as const];
    if (optional) return [];
    throw new ConfigError(`references non-existent ${kind} key: ${item.key}`);
  });
}
