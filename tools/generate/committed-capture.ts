// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { documentKey, type GroupVersion } from './api-groups.ts';
import type { Capture, Discovery } from './capture.ts';
import { documentFile } from './lab-documents.ts';
import type { OpenApiDocument } from './open-api.ts';

/** The server's description in the committed documents: everything else can be generated from them without a server. */
export async function committedCapture(folder: string, groups: readonly GroupVersion[]): Promise<Capture> {
  const documents = new Map<string, OpenApiDocument>();
  for (const group of groups) {
    const key = documentKey(group);
    const text = gunzipSync(await readFile(join(folder, documentFile(key)))).toString('utf8');
    documents.set(key, JSON.parse(text) as OpenApiDocument);
  }
  const rest = JSON.parse(await readFile(join(folder, 'discovery.json'), 'utf8')) as CommittedDiscovery;
  return { documents, discovery: { api: rest.api, apis: rest.apis }, version: rest.version };
}

interface CommittedDiscovery {
  readonly version: Readonly<Record<string, string>>;
  readonly api: Discovery;
  readonly apis: Discovery;
}
