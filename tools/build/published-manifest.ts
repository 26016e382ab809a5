// SPDX-License-Identifier: Apache-2.0
import type { Manifest, Repository } from './workspace.ts';

/** A published package.json: its exports refer to JavaScript and declarations instead of the source. */
export function publishedManifest(manifest: Manifest, repository: Repository & { readonly directory: string }): object {
  const { name, version, description, license, keywords, engines, exports = {}, dependencies } = manifest;
  // Test code shared by our own workspaces is not published.
  const entries = Object.entries(exports).filter(([entry]) => entry !== './testing');
  return {
    name,
    version,
    description,
    license,
    keywords,
    repository,
    type: 'module',
    engines,
    exports: Object.fromEntries(entries.map(([entry, source]) => [entry, publishedExport(source)])),
    dependencies,
  };
}

function publishedExport(source: string): string | { readonly types: string; readonly default: string } {
  const stem = /^\.\/src\/(.*)\.ts$/.exec(source)?.[1];
  return stem === undefined ? source : { types: `./${stem}.d.ts`, default: `./${stem}.js` };
}
