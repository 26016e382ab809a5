// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { manifest, problemsWith, source } from '../fixture-tree.ts';
import { layers } from './layers.ts';

const lab = {
  'packages/kube-lab/package.json': manifest('@operator-parts/kube-lab', { exports: { '.': './src/index.ts' } }),
};

describe('import direction between packages', () => {
  test.each([
    ['an import', "import { midnight } from '@operator-parts/kube';"],
    ['an import of a type', "import type { midnight } from '@operator-parts/kube';"],
    ['an import for its effect', "import '@operator-parts/kube';"],
    ['a re-export', "export { midnight } from '@operator-parts/kube';"],
    ['a dynamic import', "export const kube = await import('@operator-parts/kube');"],
    ['a type by import()', "export type Kube = import('@operator-parts/kube').Kube;"],
  ])('%s that points upwards is refused', async (_what, text) => {
    const file = 'packages/ports/src/trial.ts';
    const problems = await problemsWith(layers, { [file]: source(text) });
    expect(problems).toEqual([expect.objectContaining({ rule: 'no-upward-import', file, line: 2 })]);
  });

  test('the message says which packages are below', async () => {
    const problems = await problemsWith(layers, {
      'packages/etcd/src/trial.ts': source("import '@operator-parts/kube';"),
    });
    expect(problems[0]?.message).toContain('packages/etcd must not import @operator-parts/kube');
    expect(problems[0]?.message).toContain('it may import ports');
  });

  test.each(['packages/controller-runtime', 'apps/operator', 'example/network-controller'])(
    'product code of %s cannot use kube-lab',
    async (workspace) => {
      const problems = await problemsWith(layers, {
        ...lab,
        [`${workspace}/src/trial.ts`]: source("import '@operator-parts/kube-lab';"),
      });
      expect(problems).toEqual([expect.objectContaining({ rule: 'no-upward-import' })]);
    },
  );

  test.each([
    'packages/kube/src/trial.test.ts',
    'packages/controller-runtime/src/testing/lab.ts',
    'apps/playground/src/main.ts',
    'test/conformance/trial.ts',
    'bench/trial.ts',
  ])('%s can use kube-lab', async (file) => {
    expect(await problemsWith(layers, { ...lab, [file]: source("import '@operator-parts/kube-lab';") })).toEqual([]);
  });

  test('an import past the exports of a package is refused, in tests too', async () => {
    const problems = await problemsWith(layers, {
      'packages/kube/src/trial.test.ts': source("import { noon } from '@operator-parts/ports/src/noon.ts';"),
    });
    expect(problems).toEqual([expect.objectContaining({ rule: 'no-deep-import' })]);
  });

  test('a further entry that a package exports is fine', async () => {
    const problems = await problemsWith(layers, {
      'packages/ports/package.json': manifest('@operator-parts/ports', {
        exports: { '.': './src/index.ts', './noon': './src/noon.ts' },
      }),
      'packages/kube/src/trial.ts': source("import { noon } from '@operator-parts/ports/noon';"),
    });
    expect(problems).toEqual([]);
  });

  test('a relative path into another package is refused', async () => {
    const problems = await problemsWith(layers, {
      'packages/kube/src/trial.ts': source("import { noon } from '../../ports/src/noon.ts';"),
    });
    expect(problems).toEqual([expect.objectContaining({ rule: 'no-relative-import-across-packages' })]);
  });

  test('words in comments and strings are not imports', async () => {
    const problems = await problemsWith(layers, {
      'packages/ports/src/trial.ts': source(
        '// import "@operator-parts/kube";\nexport const text = "from \'@operator-parts/kube\'";',
      ),
    });
    expect(problems).toEqual([]);
  });
});
