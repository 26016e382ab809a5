// SPDX-License-Identifier: Apache-2.0
import { relative, resolve } from 'node:path';
import { complain, readCommandLine } from '../command-line.ts';
import { repositoryRoot as root } from '../repository-root.ts';
import { checkedOut } from '../supply-chain/checked-out.ts';
import { makeRelease } from './make-release.ts';
import { releaseOf } from './release.ts';
import { verifyRelease } from './verify/verify-release.ts';

/** `npm run release`: everything that is released, in one folder; nothing is sent anywhere. */
const usage = {
  command: 'npm run release',
  help: `npm run release -- [--dry-run] [--key FILE] [--out FOLDER]
npm run release -- --verify [--key FILE] [--without-cluster] [--out FOLDER]

Makes everything that is released: image, chart, manifests, OLM bundle, plugin, npm packages, API reference, bills of materials, notes,
checksums and provenance. The same commit gives the same bytes. Nothing is sent anywhere.
  --dry-run                    from any state of the tree, with the notes of "Unreleased", signed only with --key; otherwise the
                               tree is the commit of the tag vX.Y.Z, and --key is required
  --key FILE                   private key in PEM (Ed25519 or ECDSA on P-256) that signs; with --verify the public key
  --verify                     installs from the folder alone: plugin and packages in empty folders as an ordinary user; chart,
                               install.yaml and bundle on a real Kubernetes, which needs root
  --without-cluster            with --verify: not on a real Kubernetes
  --out FOLDER                 instead of dist/release
`,
};
const { values } = readCommandLine(usage, {
  options: {
    'dry-run': { type: 'boolean' },
    verify: { type: 'boolean' },
    'without-cluster': { type: 'boolean' },
    key: { type: 'string' },
    out: { type: 'string' },
  },
});
if (values.verify && values['dry-run']) complain(usage, '--verify does not go with --dry-run');
if (values['without-cluster'] && !values.verify) complain(usage, '--without-cluster goes with --verify only');
const out = resolve(root, values.out ?? 'dist/release');
const keyFile = values.key === undefined ? undefined : resolve(values.key);
const say = (line: string) => void process.stdout.write(`${line}\n`);

try {
  if (values.verify) await verifyRelease({ root, out, keyFile, say, onCluster: !values['without-cluster'] });
  else {
    if (!values['dry-run']) await requireRelease();
    await makeRelease({ root, out, keyFile, say, allowUnreleased: values['dry-run'] ?? false });
    say(`${relative(root, out)} is complete${keyFile ? '' : ', and not signed'}`);
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

/** Throws unless the tree is what the tag of its version names. */
async function requireRelease(): Promise<void> {
  const { version } = await releaseOf(root, out);
  const { isModified, tags } = await checkedOut(root);
  if (keyFile === undefined)
    throw new Error('a release is signed: give the private key with --key, or try with --dry-run');
  if (isModified) throw new Error('files differ from the commit: commit them, or try with --dry-run');
  if (!tags.includes(`v${version}`))
    throw new Error(`this commit has no tag v${version}: set the tag, or try with --dry-run`);
}
