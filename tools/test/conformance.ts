// SPDX-License-Identifier: Apache-2.0
import { ensurePart } from '@etcd-operator/tools';
import { ColumnsReporter } from '../../test/conformance/columns-reporter.ts';
import { runTests } from './run-tests.ts';

/**
 * `npm run test:conformance`: one suite of API behaviours, against kube-lab and against a real kube-apiserver. With `--lab`
 * against kube-lab alone, which needs no build. The suite reads CONFORMANCE_BACKENDS.
 */
const args = process.argv.slice(2);
const labOnly = args.includes('--lab');
process.env['CONFORMANCE_BACKENDS'] = labOnly ? 'lab' : 'lab,kube-apiserver';

await runTests({
  projects: ['conformance'],
  args: args.filter((arg) => arg !== '--lab'),
  allowNone: true,
  // What is compared with a real server only is not part of the lab's column.
  ...(labOnly ? { select: (file: string) => file.startsWith('test/conformance/') } : {}),
  reporters: [new ColumnsReporter({ onlyCount: process.env['CI'] !== undefined })],
  prepare: async () => {
    const real = labOnly ? [] : ['etcd@3.6', 'kube-apiserver', 'kube-controller-manager'];
    for (const part of ['busybox', ...real]) {
      await ensurePart(part, { report: (line) => process.stderr.write(`${line}\n`) });
    }
  },
});
