// SPDX-License-Identifier: Apache-2.0
import { ensurePart } from '@etcd-operator/tools';
import { missingPrerequisite } from './prerequisites.ts';

/**
 * The parts that the `*.lab.test.ts` files below some folder run. They are built before the tests' time limits start:
 * on a new machine this takes minutes, and the progress is shown.
 */
const needs: readonly { readonly part: string; readonly by: RegExp }[] = [
  { part: 'etcd@3.6', by: /./ },
  { part: 'busybox', by: /^(apps|packages\/kube-lab|example|test|tools)\// },
  ...['etcd@3.5', 'etcd@3.7', 'etcd@3.4'].map((part) => ({ part, by: /^(apps|packages\/etcd|test)\// })),
  ...['etcd@3.3', 'etcd@3.4.31'].map((part) => ({ part, by: /^(apps\/operator|packages\/etcd)\// })),
  { part: 'kubectl', by: /^(apps|packages\/kube-lab|example|test)\// },
  { part: 'versitygw', by: /^(apps|packages\/blob|test)\// },
  { part: 'azurite', by: /^(apps\/operator|packages\/blob)\// },
  { part: 'fake-gcs-server', by: /^(apps\/operator|packages\/blob)\// },
  { part: 'helm', by: /^(packages\/kube-lab|test)\// },
  ...['kstatus', 'gopher-lua'].map((part) => ({ part, by: /^apps\/operator\// })),
  ...['promtool', 'prometheus-operator-types'].map((part) => ({ part, by: /^tools\// })),
];

/** The parts that these test files need. */
export function partsFor(files: readonly string[]): readonly string[] {
  const lab = files.filter((file) => file.endsWith('.lab.test.ts'));
  return needs.filter(({ by }) => lab.some((file) => by.test(file))).map(({ part }) => part);
}

/** Provides the parts for the lab tests among these files, and shows the progress. */
export async function prepareLab(files: readonly string[]): Promise<void> {
  const parts = partsFor(files);
  if (parts.length === 0) return;
  const missing = await missingPrerequisite();
  if (missing) throw new Error(missing);
  const waiting = [...parts];
  const makeOneByOne = async () => {
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift())
      await ensurePart(part, { fromPath: false, report: (line) => process.stderr.write(`${line}\n`) });
  };
  // One is compiled while the sources of another are fetched.
  await Promise.all([makeOneByOne(), makeOneByOne()]);
}

const controlPlane = ['etcd@3.6', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];

/** Provides the programs of a real control plane, and shows the progress. */
export async function prepareControlPlane(): Promise<void> {
  for (const part of controlPlane) await ensurePart(part, { report: (line) => process.stderr.write(`${line}\n`) });
}
