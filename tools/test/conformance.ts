// SPDX-License-Identifier: Apache-2.0
import { ensurePart } from '@etcd-operator/tools';
import { ColumnsReporter } from '../../test/conformance/columns-reporter.ts';
import { runTests } from './run-tests.ts';
import { readTestArguments } from './test-arguments.ts';

/**
 * `npm run test:conformance`: one suite of API behaviours, against kube-lab and a real kube-apiserver. With `--lab`
 * against kube-lab only, which needs no build. The suite reads CONFORMANCE_BACKENDS.
 */
const usage = {
  command: 'npm run test:conformance',
  help: `npm run test:conformance -- [--lab] [PATH ...] [options]

Runs one suite of API behaviours against kube-lab and against a real kube-apiserver.
  --lab                        against kube-lab alone, which needs no build
`,
};
const args = readTestArguments(usage, ['--lab']);
const labOnly = args.includes('--lab');
process.env['CONFORMANCE_BACKENDS'] = labOnly ? 'lab' : 'lab,kube-apiserver';

await runTests({
  projects: ['conformance'],
  args: args.filter((arg) => arg !== '--lab'),
  allowNone: true,
  // Tests that use only a real server are not part of the lab's run.
  ...(labOnly ? { select: (file: string) => file.startsWith('test/conformance/') } : {}),
  reporters: [new ColumnsReporter({ onlyCount: process.env['CI'] !== undefined })],
  prepare: async () => {
    const real = labOnly ? [] : ['etcd@3.6', 'kube-apiserver', 'kube-controller-manager'];
    for (const part of ['busybox', ...real]) {
      await ensurePart(part, { report: (line) => process.stderr.write(`${line}\n`) });
    }
  },
});
