// SPDX-License-Identifier: Apache-2.0
import { type Client, isKubeError, secrets } from '@etcd-operator/kube';

/** The data of a Secret, decoded. */
export type SecretData = Readonly<Record<string, string>>;

/** Reads a Secret of one namespace, always the one of the object that names it. Undefined if there is none. */
export type ReadSecret = (name: string) => Promise<SecretData | undefined>;

/** Reads Secrets of one namespace by name: no right to list them is needed, and none of another namespace can be reached. */
export function secretReader(client: Client, namespace: string, signal: AbortSignal): ReadSecret {
  return async (name) => {
    try {
      const { data = {} } = await client.resource(secrets).get({ namespace, name }, { signal });
      const decoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]);
      return Object.fromEntries(decoded);
    } catch (error) {
      if (isKubeError(error, 'NotFound')) return undefined;
      throw error;
    }
  };
}
