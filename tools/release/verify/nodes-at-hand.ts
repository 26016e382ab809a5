// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { type Architecture, nodeFolder, type PinnedNode, pinnedNode } from '../../image/pinned-node.ts';

/** A Node to run things on. */
export interface NodeAtHand {
  readonly version: string;
  readonly program: string;
}

/** The newest Node, besides the oldest that is promised, which package-lock.json pins. */
const newest: Readonly<Record<Architecture, PinnedNode>> = {
  amd64: {
    architecture: 'amd64',
    version: '26.10.0',
    integrity: 'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
  },
  arm64: {
    architecture: 'arm64',
    version: '26.10.0',
    integrity: 'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
  },
};

/** The architecture of this machine, as images spell it. */
export const here: Architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';

/** The Nodes that plugin and packages are verified on: the major version that they ask for at least, and the newest one. */
export async function nodesAtHand(root: string): Promise<readonly NodeAtHand[]> {
  const oldest = join(await pinnedNode(here, root), 'bin', 'node');
  const other = join(await nodeFolder(newest[here]), 'bin', 'node');
  return [
    { version: process.versions.node, program: oldest },
    { version: newest[here].version, program: other },
  ];
}
