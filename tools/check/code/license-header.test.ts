// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { problemsWith } from '../fixture-tree.ts';
import { licenseHeader } from './license-header.ts';

const spdx = 'SPDX-License-Identifier: Apache-2.0';

test.each([
  ['packages/ports/src/trial.ts', 'export const x = 1;\n'],
  ['packages/ports/src/trial.ts', `\n// ${spdx}\n`],
  ['tools/trial.sh', '#!/bin/sh\ntrue\n'],
  ['.ci/run', '#!/usr/bin/env bash\ntrue\n'],
])('%s without the header is refused', async (file, text) => {
  const problems = await problemsWith(licenseHeader, { [file]: text });
  expect(problems).toEqual([expect.objectContaining({ rule: 'spdx-header', file, line: 1 })]);
});

test('the header may follow a shebang', async () => {
  expect(await problemsWith(licenseHeader, { 'tools/trial.sh': `#!/bin/sh\n# ${spdx}\n` })).toEqual([]);
});

test('generated files are the business of their generator', async () => {
  expect(await problemsWith(licenseHeader, { 'packages/kube/src/generated/core.ts': 'export {};\n' })).toEqual([]);
});
