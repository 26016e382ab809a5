// SPDX-License-Identifier: Apache-2.0
import {
  type Client,
  configMaps,
  type KubeObject,
  keyOf,
  type Pod,
  persistentVolumeClaims,
  persistentVolumes,
  secrets,
  serviceAccounts,
  services,
} from '@operator-parts/kube';
import type { Clock } from '@operator-parts/ports';
import type { SharedCaches } from '../../controllers/shared-caches.ts';
import { ConfigError, type ConfigSource } from './config-source.ts';

interface Token {
  readonly text: string;
  readonly renewAt: number;
}

/**
 * The API objects that a node has seen, and the tokens that it requested. A token is requested again after 80 % of its
 * validity.
 */
export function cachedConfig(caches: SharedCaches, client: Client, clock: Clock): ConfigSource {
  const tokens = new Map<string, Token>();
  // These caches are filled from the start: a node that is disconnected later must still know their objects.
  for (const kind of [secrets, configMaps, services, persistentVolumeClaims, persistentVolumes])
    caches.of<KubeObject>(kind);
  return {
    secret: (namespace, name) => caches.of(secrets).get(namespace, name),
    configMap: (namespace, name) => caches.of(configMaps).get(namespace, name),
    services: (namespace) => caches.of(services).inNamespace(namespace),
    claim: (namespace, name) => caches.of(persistentVolumeClaims).get(namespace, name),
    volume: (name) => caches.of(persistentVolumes).get(undefined, name),
    token: async (pod, audience, expirationSeconds) => {
      const key = [pod.metadata?.uid, audience, expirationSeconds].join('\n');
      const known = tokens.get(key);
      if (known && clock.monotonic() < known.renewAt) return known.text;
      const text = await requestToken(client, pod, audience, expirationSeconds);
      tokens.set(key, { text, renewAt: clock.monotonic() + expirationSeconds * 800 });
      return text;
    },
  };
}

async function requestToken(
  client: Client,
  pod: Pod,
  audience: string | undefined,
  expirationSeconds: number,
): Promise<string> {
  const { namespace = '' } = keyOf(pod);
  const name = pod.spec?.serviceAccountName ?? 'default';
  try {
    const answer = await client
      .resource(serviceAccounts)
      .subresource<{ readonly status?: { readonly token?: string } }>('token')
      .create(
        { namespace, name },
        {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          spec: {
            audiences: audience ? [audience] : [],
            expirationSeconds,
            boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: pod.metadata?.name, uid: pod.metadata?.uid },
          },
        },
      );
    return answer.status?.token ?? '';
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`failed to fetch token: ${words}`);
  }
}
