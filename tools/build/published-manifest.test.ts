// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { publishedManifest } from './published-manifest.ts';

test('exports lead to JavaScript and declarations, and nothing of development stays', () => {
  const manifest = {
    name: '@operator-parts/kube',
    version: '0.1.0',
    license: 'Apache-2.0',
    keywords: ['kubernetes'],
    exports: { '.': './src/index.ts', './patch': './src/patch/index.ts', './schema.json': './schema.json' },
    dependencies: { undici: '8.12.4' },
    scripts: { test: 'x' },
    devDependencies: { vitest: '5.1.0' },
  };
  const repository = { type: 'git', url: 'git+https://example.com/x.git', directory: 'packages/kube' };
  expect(JSON.parse(JSON.stringify(publishedManifest(manifest, repository)))).toEqual({
    name: '@operator-parts/kube',
    version: '0.1.0',
    license: 'Apache-2.0',
    keywords: ['kubernetes'],
    repository,
    type: 'module',
    exports: {
      '.': { types: './index.d.ts', default: './index.js' },
      './patch': { types: './patch/index.d.ts', default: './patch/index.js' },
      './schema.json': './schema.json',
    },
    dependencies: { undici: '8.12.4' },
  });
});
