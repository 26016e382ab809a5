// SPDX-License-Identifier: Apache-2.0

import { counted } from '@etcd-operator/operator';
import { printable } from '@operator-parts/etcd';
import type { Access } from '../access.ts';
import { formatBytes } from '../render/bytes.ts';
import { documentWriter } from './document-writer.ts';
import { openSource, type SourceOptions } from './open-source.ts';
import { leaseText, type Output, shownKey, sourceText, warn } from './shown-key.ts';
import type { SourceName } from './source-name.ts';

export interface BrowseAsked extends SourceOptions {
  readonly source: SourceName;
  readonly prefix: Uint8Array;
  /** Undefined: the newest. */
  readonly revision: bigint | undefined;
  readonly values: boolean;
}

/** Prints the keys of a backup as they are read. Nothing is restored. */
export async function browse(access: Access, asked: BrowseAsked, output: Output): Promise<void> {
  await using source = await openSource(access, asked.source, asked.revision, asked);
  warn(source.facts, output);
  const writer = output.format === 'json' || output.format === 'yaml' ? output.format : undefined;
  const document = writer && documentWriter(writer, { ...source.facts }, 'keys', output.out);
  let [keys, bytes] = [0, 0];
  for await (const key of source.keys(asked.prefix)) {
    if (document) document.item(await shownKey(key, asked.values));
    else {
      if (keys === 0) output.out(line('MOD REVISION', 'VERSION', 'LEASE', 'SIZE', 'KEY'));
      const { modRevision, version, lease, valueBytes } = key;
      const size = formatBytes(valueBytes);
      output.out(line(String(modRevision), String(version), leaseText(lease), size, printable(key.key)));
      if (asked.values) output.out(`    ${printable(await key.value())}\n`);
    }
    keys += 1;
    bytes += key.valueBytes;
  }
  if (document) document.end({ count: keys, valueBytes: bytes });
  else output.out(`${counted(keys, 'key')}, ${formatBytes(bytes)} of values: ${sourceText(source.facts)}\n`);
}

/** Columns with fixed widths. */
function line(revision: string, version: string, lease: string, size: string, key: string): string {
  return `${revision.padStart(12)}   ${version.padStart(7)}   ${lease.padEnd(16)}   ${size.padStart(8)}   ${key}\n`;
}
