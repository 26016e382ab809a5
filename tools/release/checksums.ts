// SPDX-License-Identifier: Apache-2.0
import { type KeyObject, sign, verify } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkedOut } from '../supply-chain/checked-out.ts';
import { type Envelope, seal, unseal } from '../supply-chain/envelope.ts';
import { provenance } from '../supply-chain/provenance.ts';
import { sha256Of } from '../supply-chain/sha256.ts';
import type { Release } from './release.ts';

const sums = 'SHA256SUMS';
const origin = 'provenance.intoto.json';
/** What is about the files, and is therefore not among them. */
const about = [sums, `${sums}.sig`, origin];

/** Writes SHA256SUMS and the provenance of everything in the folder; with a private key both are signed. */
export async function sealRelease(release: Release, key?: KeyObject): Promise<void> {
  const { root, out, repository, version } = release;
  const artifacts = await digestsOf(out);
  const list = Object.entries(artifacts).map(([name, digest]) => `${digest}  ${name}\n`);
  await writeFile(join(out, sums), list.join(''));
  const statement = provenance({
    artifacts,
    command: 'npm run release',
    repository,
    ...(await checkedOut(root)),
    lockFile: await sha256Of(join(root, 'package-lock.json')),
    version,
  });
  await writeFile(join(out, origin), `${JSON.stringify(key ? seal(statement, key) : statement, null, 2)}\n`);
  // In base64, as `cosign verify-blob --signature` reads it.
  if (key)
    await writeFile(
      join(out, `${sums}.sig`),
      `${sign(hashFor(key.asymmetricKeyType), Buffer.from(list.join('')), key).toString('base64')}\n`,
    );
}

/** Throws unless the folder holds exactly what SHA256SUMS names and, with a public key, its holder signed it. */
export async function verifySums(out: string, key?: KeyObject): Promise<number> {
  const list = await readFile(join(out, sums), 'utf8').catch((cause: unknown) => {
    throw new Error(
      `${out} holds no release: make one with "npm run release -- --dry-run", then run the command again`,
      {
        cause,
      },
    );
  });
  const stated = new Map(
    list
      .trim()
      .split('\n')
      .map((line) => [line.slice(66), line.slice(0, 64)]),
  );
  const found = await digestsOf(out);
  for (const name of new Set([...stated.keys(), ...Object.keys(found)])) {
    if (found[name] === undefined) throw new Error(`${name} is missing: ${sums} names it`);
    if (found[name] !== stated.get(name)) throw new Error(`${name} is not the file that ${sums} names`);
  }
  if (key === undefined) return stated.size;
  const signature = await readFile(join(out, `${sums}.sig`), 'utf8').catch((cause: unknown) => {
    throw new Error(`${sums} is not signed: there is no ${sums}.sig. Without --key, signatures are not verified`, {
      cause,
    });
  });
  if (!verify(hashFor(key.asymmetricKeyType), Buffer.from(list), key, Buffer.from(signature, 'base64')))
    throw new Error(`${sums} is not signed by this key`);
  unseal(JSON.parse(await readFile(join(out, origin), 'utf8')) as Envelope, key);
  return stated.size;
}

/** Of everything in the folder, by name. */
async function digestsOf(out: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(out)).filter((name) => !about.includes(name)).toSorted();
  const found: Record<string, string> = {};
  for (const name of names) found[name] = await sha256Of(join(out, name));
  return found;
}

/** Ed25519 hashes by itself. */
function hashFor(type: string | undefined): 'sha256' | null {
  return type === 'ed25519' ? null : 'sha256';
}
