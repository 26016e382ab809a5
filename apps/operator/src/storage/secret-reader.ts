// SPDX-License-Identifier: Apache-2.0
import { type Client, isKubeError, secrets } from '@operator-parts/kube';
import { labels } from '../api/names.ts';
import { isLabelled, labelCommand, type SecretLabelRule } from './secret-label.ts';
import { StorageError } from './storage-error.ts';

/** The data of a Secret, decoded. */
export type SecretData = Readonly<Record<string, string>>;

/** Reads a Secret from the namespace of the object that names it, and from no other. Undefined if there is none. */
export type ReadSecret = (name: string, encoding?: SecretEncoding) => Promise<SecretData | undefined>;

/** How the bytes of a Secret are decoded; `latin1` keeps every byte. @default utf8 */
export type SecretEncoding = 'utf8' | 'latin1';

/** Which Secrets may be read. */
export interface SecretRules {
  /** @default ignored */
  readonly secretLabel?: SecretLabelRule;
  /** Called for each Secret that is used without the label. */
  readonly onUnlabelled?: (name: string) => void;
}

/** Reads Secrets of one namespace by name. No right to list Secrets is needed, and other namespaces cannot be reached (safety rule 17). */
export function secretReader(
  client: Client,
  namespace: string,
  signal: AbortSignal,
  { secretLabel = 'ignored', onUnlabelled }: SecretRules = {},
): ReadSecret {
  return async (name, encoding = 'utf8') => {
    try {
      const secret = await client.resource(secrets).get({ namespace, name }, { signal });
      if (secretLabel !== 'ignored' && !isLabelled(secret)) {
        if (secretLabel === 'required') throw notLabelled(namespace, name);
        onUnlabelled?.(name);
      }
      const decoded = Object.entries(secret.data ?? {}).map(([key, value]) => [
        key,
        Buffer.from(value, 'base64').toString(encoding),
      ]);
      return Object.fromEntries(decoded);
    } catch (error) {
      if (isKubeError(error, 'NotFound')) return undefined;
      throw error;
    }
  };
}

function notLabelled(namespace: string, name: string): StorageError {
  const message = `secret ${name} lacks the label ${labels.use}, which the operator requires (-require-secret-label). If this Secret is meant for backups, label it: ${labelCommand(namespace, [name])}`;
  return new StorageError('SecretNotLabelled', message);
}
