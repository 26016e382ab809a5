// SPDX-License-Identifier: Apache-2.0
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { operatorImageName } from '@etcd-operator/operator';
import { yamlText } from '@operator-parts/crd';
import { parse } from 'yaml';
import { chartReadme } from '../deploy/chart-readme.ts';
import { kinds } from '../deploy/kinds.ts';
import { text } from '../image/image.ts';
import { displayName, kindWords } from './kind-words.ts';
import type { ArtefactKind, Release } from './release.ts';
import { filesBelow, writeTarball } from './tarball.ts';

/** The Helm chart as `helm install` takes it, and the file by which Artifact Hub knows whose repository it is in. */
export const chart: ArtefactKind = {
  name: 'chart',
  async make(release) {
    const { root, out, version, repository } = release;
    const source = join(root, 'deploy', 'charts', 'etcd-operator');
    const described = yamlText(describedChart(await readFile(join(source, 'Chart.yaml'), 'utf8'), release));
    const values = await readFile(join(source, 'values.yaml'), 'utf8');
    const own = [
      text('etcd-operator/Chart.yaml', described),
      text(
        'etcd-operator/README.md',
        chartReadme(values, `etcd-operator-${version}.tgz`, ` Source and guide: ${repository}`),
      ),
      text('etcd-operator/LICENSE', await readFile(join(root, 'LICENSE'), 'utf8')),
    ];
    const others = (await filesBelow(source, 'etcd-operator')).filter(({ path }) =>
      own.every((one) => one.path !== path),
    );
    await writeTarball([...own, ...others], join(out, `etcd-operator-${version}.tgz`));
    await writeFile(join(out, 'artifacthub-repo.yml'), yamlText({ owners: [{ name: 'etcd-operator' }] }));
  },
};

/** Chart.yaml with what Artifact Hub shows: the image, the kinds, the source. */
function describedChart(chartYaml: string, { repository, version }: Release): object {
  const chartFile = parse(chartYaml) as { readonly annotations?: Readonly<Record<string, string>> };
  const crds = kinds.map(({ resource }) => ({
    kind: resource.kind,
    version: resource.version,
    name: `${resource.plural}.${resource.group}`,
    displayName: displayName(resource.kind),
    description: kindWords(resource.kind),
  }));
  return {
    ...chartFile,
    home: repository,
    sources: [repository],
    annotations: {
      ...chartFile.annotations,
      'artifacthub.io/operator': 'true',
      'artifacthub.io/operatorCapabilities': 'Deep Insights',
      'artifacthub.io/prerelease': String(version.includes('-')),
      'artifacthub.io/images': yamlText([
        { name: 'etcd-operator', image: operatorImageName, platforms: ['linux/amd64', 'linux/arm64'] },
      ]),
      'artifacthub.io/crds': yamlText(crds),
      'artifacthub.io/links': yamlText([{ name: 'source', url: repository }]),
    },
  };
}
