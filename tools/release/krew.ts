// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { yamlText } from '@operator-parts/crd';
import { sha256Of } from '../supply-chain/sha256.ts';
import { downloadUrl, type Release } from './release.ts';

/** The manifest by which krew, kubectl's plugin manager, finds the archives. Other systems than Linux get the one that needs Node. */
export async function krewManifest(
  release: Release,
  archives: Readonly<Record<'amd64' | 'arm64' | 'node', string>>,
): Promise<string> {
  const platform = async (file: string, selector: object) => ({
    selector,
    uri: downloadUrl(release, file),
    sha256: await sha256Of(join(release.out, file)),
    bin: 'kubectl-etcd',
    files: [{ from: '*', to: '.' }],
  });
  return yamlText({
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'etcd' },
    spec: {
      version: `v${release.version}`,
      homepage: release.repository,
      shortDescription: 'Shows and operates etcd clusters of etcd-operator',
      description:
        'doctor, status, plan, logs, exec, backup, restore and more for EtcdClusters.\nOn macOS it needs Node 24 or newer.\n',
      caveats: caveats(release.version),
      platforms: [
        await platform(archives.amd64, { matchLabels: { os: 'linux', arch: 'amd64' } }),
        await platform(archives.arm64, { matchLabels: { os: 'linux', arch: 'arm64' } }),
        await platform(archives.node, { matchLabels: { os: 'darwin' } }),
      ],
    },
  });
}

/** What krew prints after it has installed the plugin: it puts one program on PATH, and kubectl looks for another one when Tab is pressed. */
function caveats(version: string): string {
  const root = `"\${KREW_ROOT:-$HOME/.krew}"`;
  return `For the Tab key to complete commands, options and names, now and after each upgrade:
  ln -sf ${root}/store/etcd/v${version}/kubectl_complete-etcd ${root}/bin/
`;
}
