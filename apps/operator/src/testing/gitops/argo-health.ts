// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { ensurePart } from '@etcd-operator/tools';
import { parse } from 'yaml';

/** The health scripts of deploy/argo-cd, by kind. */
export function healthScripts(): Readonly<Record<string, string>> {
  const file = new URL('../../../../../deploy/argo-cd/argocd-cm.yaml', import.meta.url);
  const { data }: { data: Record<string, string> } = parse(readFileSync(file, 'utf8'));
  return Object.fromEntries(Object.entries(data).map(([key, script]) => [key.split('_').at(-1), script]));
}

/** The health that Argo CD shows for an object: runs the script with the same Lua as Argo CD. */
export async function healthOf(object: Readonly<Record<string, unknown>> & { readonly kind: string }): Promise<string> {
  const script = healthScripts()[object.kind];
  if (script === undefined) throw new Error(`there is no health script for ${object.kind}`);
  const program = (await ensurePart('gopher-lua')).programs['glua'] ?? '';
  const code = `obj = ${luaOf(object)}\nlocal health = (function()\n${script}\nend)()\nprint(health.status)\n`;
  const { status, stdout, stderr } = spawnSync(program, ['-e', code], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`health script of ${object.kind}: ${stderr}${stdout}`);
  return stdout.trim();
}

/** A JSON value in Lua syntax. */
function luaOf(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(luaOf).join(', ')}}`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .map(([key, field]) => `[${luaOf(key)}] = ${luaOf(field)}`)
      .join(', ')}}`;
  if (typeof value !== 'string') return String(value ?? 'nil');
  return `"${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}
