// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { type Architecture, nodeFolder, type PinnedNode, pinnedNode } from '../../image/pinned-node.ts';

/** A Node to run things on. */
export interface NodeAtHand {
  readonly version: string;
  readonly program: string;
}

/**
 * Node besides the one that package-lock.json pins: the first version of 24, which is promised, and the newest of each later major version, as
 * far as the registry has them for the architecture.
 */
const others: Readonly<Record<Architecture, readonly PinnedNode[]>> = {
  amd64: [
    {
      architecture: 'amd64',
      version: '24.0.0',
      integrity: 'sha512-+KpEGmZygQN9RNlRKFP4+Y5UewA3lYmxPsuEwYEkU3sweSCFUvUVdIz+6GORYgVl1bdEFJR2xH2Y4HNM9j08Bw==',
    },
    {
      architecture: 'amd64',
      version: '25.8.2',
      integrity: 'sha512-PSMiB8bj9Tzstt3jT5p2Hdxgm14QFt4hWNBJf+/3NAlckB4Er18RCH3kMWM8Fm9/ZyiSnlCMf8yEfJF70c2Mnw==',
    },
    {
      architecture: 'amd64',
      version: '26.10.0',
      integrity: 'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
    },
  ],
  arm64: [
    {
      architecture: 'arm64',
      version: '26.10.0',
      integrity: 'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
    },
  ],
};

/** The architecture of this machine, as images spell it. */
export const here: Architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';

/** The Nodes that plugin and packages are verified on. */
export async function nodesAtHand(root: string): Promise<readonly NodeAtHand[]> {
  const program = (folder: string) => join(folder, 'bin', 'node');
  const nodes = [{ version: process.versions.node, program: program(await pinnedNode(here, root)) }];
  for (const other of others[here]) nodes.push({ version: other.version, program: program(await nodeFolder(other)) });
  return nodes;
}
