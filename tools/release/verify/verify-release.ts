// SPDX-License-Identifier: Apache-2.0
import { prepareMachine } from '../../cluster/index.ts';
import { verifySums } from '../checksums.ts';
import { releaseOf } from '../release.ts';
import { publicKeyIn } from '../signing-key.ts';
import { nodesAtHand } from './nodes-at-hand.ts';
import { verifyImage } from './verify-image.ts';
import { verifyOnCluster } from './verify-on-cluster.ts';
import { verifyPackages } from './verify-packages.ts';
import { verifyPlugin } from './verify-plugin.ts';

export interface VerifyOptions {
  /** Of the repository: for the tools that verify, never for what is installed. */
  readonly root: string;
  readonly out: string;
  /** A public key in PEM. @default signatures are not verified */
  readonly keyFile?: string | undefined;
  readonly onCluster: boolean;
  readonly say: (line: string) => void;
}

/** Installs and uses everything of a release folder as its users would. Throws at the first thing that does not hold. */
export async function verifyRelease({ root, out, keyFile, onCluster, say }: VerifyOptions): Promise<void> {
  const release = await releaseOf(root, out);
  const count = await verifySums(out, keyFile === undefined ? undefined : await publicKeyIn(keyFile));
  say(`checksums: ${count} files, ${keyFile ? 'signed by the key' : 'signatures not verified (no --key)'}`);
  // What only root can do is said before minutes have gone by.
  if (onCluster) await prepareMachine(say);
  const nodes = await nodesAtHand(root);
  for (const line of await verifyPlugin(release, nodes)) say(`plugin: ${line}`);
  for (const line of await verifyImage(release)) say(`image: ${line}`);
  for (const line of await verifyPackages(release, nodes)) say(`packages: ${line}`);
  if (!onCluster) say('real Kubernetes: not verified (--without-cluster)');
  else for (const line of await verifyOnCluster(release)) say(`real Kubernetes: ${line}`);
  say('everything was installed from the folder alone');
}
