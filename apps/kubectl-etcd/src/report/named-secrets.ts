// SPDX-License-Identifier: Apache-2.0
import { isKubeError, secrets } from '@operator-parts/kube';
import type { Access } from '../access.ts';

/** Fields of our kinds and of pods that name a Secret. */
const naming = /secret(Name)?$/i;

/** The names of all Secrets that objects refer to, recursively. */
export function secretNamesIn(value: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (node: unknown, key: string) => {
    if (typeof node === 'string' && naming.test(key)) found.add(node);
    if (typeof node !== 'object' || node === null) return;
    if (key === 'secretKeyRef' && 'name' in node && typeof node.name === 'string') found.add(node.name);
    for (const [name, field] of Object.entries(node)) visit(field, Array.isArray(node) ? key : name);
  };
  visit(value, '');
  return found;
}

/** The content of these Secrets, so that it can be removed from texts; Secrets that may not be read are skipped. */
export async function secretValues(access: Access, names: ReadonlySet<string>): Promise<readonly string[]> {
  const { client, namespace, signal } = access;
  const read = async (name: string) => {
    try {
      const { data = {} } = await client.resource(secrets).get({ namespace, name }, { signal });
      return Object.values(data ?? {}).flatMap(decoded);
    } catch (error) {
      if (isKubeError(error, 'Forbidden', 'NotFound')) return [];
      throw error;
    }
  };
  return (await Promise.all([...names].map(read))).flat();
}

/** A value, and each of its lines: logs break long ones. */
export function decoded(value: string): readonly string[] {
  const text = Buffer.from(value, 'base64').toString('utf8');
  const lines = text.split('\n').map((line) => line.trim());
  // A line such as `[default]` is not a secret; in a settings file only the values are.
  const values = lines.map((line) => line.slice(line.indexOf('=') + 1).trim());
  const parts = [...lines, ...values].filter((one) => one.length >= 8 && !one.startsWith('-----'));
  // A whole value may be a short password; a short part of one is probably an ordinary word.
  return [text.trim(), ...parts].filter((one) => one.length >= 4);
}
