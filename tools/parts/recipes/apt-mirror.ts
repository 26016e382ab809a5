// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { RunResult } from '../../process/run-program.ts';
import { type BuildContext, runInBuild } from '../build/build-context.ts';
import { toolError } from '../build/tool-failure.ts';
import { PartError } from '../part.ts';
import type { DebianPackage } from './recipe.ts';

/** apt's own downloader, which knows the machine's proxies, credentials and transports. It is not on PATH. */
const downloader = '/usr/lib/apt/apt-helper';

/** The roots of the Debian archives in this machine's configuration, in apt's order. */
export async function mirrors(context: BuildContext): Promise<readonly string[]> {
  const result = await runInBuild(context, 'apt-get', ['update', '--print-uris']);
  if (result.outcome === 'missing') {
    throw new PartError(
      'MissingPrerequisite',
      `${context.name} comes from a Debian archive, and apt-get was not found on PATH: this part can be had on Debian and its descendants only`,
    );
  }
  const roots = mirrorRoots(result.stdout);
  if (roots.length > 0) return roots;
  throw new PartError(
    'MissingPrerequisite',
    `${context.name} comes from a Debian archive, and apt is not set up to use any: add one to /etc/apt/sources.list.d and run the command again`,
  );
}

/**
 * Parses the roots from the output of `apt-get update --print-uris`: `'<root>/dists/<suite>/InRelease' <file> <size>`.
 */
export function mirrorRoots(output: string): readonly string[] {
  const uris = output.matchAll(/^'([^']+?)\/+dists\/[^']+\/InRelease'/gm);
  return [...new Set([...uris].flatMap(([, root]) => (root ? [root] : [])))];
}

/**
 * Downloads a package from the first mirror that has it. The checksum is verified, so that a wrong or tampered archive
 * does no harm.
 */
export async function downloadPackage(
  context: BuildContext,
  roots: readonly string[],
  wanted: DebianPackage,
  file: string,
): Promise<void> {
  const failures: PartError[] = [];
  for (const root of roots) {
    const result = await runInBuild(context, downloader, ['download-file', `${root}/${wanted.path}`, file]);
    if (result.outcome !== 'ok') {
      failures.push(downloadError(context, wanted, result));
      continue;
    }
    const found = await sha256(file);
    if (found === wanted.sha256) return;
    failures.push(
      new PartError(
        'ChecksumMismatch',
        `${context.name}: ${root}/${wanted.path} has the SHA-256 ${found}, but this project expects ${wanted.sha256}, so nothing of it was kept; check the mirror that apt is set up to use`,
      ),
    );
  }
  // Most mirrors serve other packages: the first failure is that of the main archive.
  throw failures.find(({ code }) => code !== 'DownloadFailed') ?? failures[0] ?? downloadError(context, wanted);
}

function downloadError(context: BuildContext, wanted: DebianPackage, result?: RunResult): PartError {
  if (result === undefined || result.outcome === 'missing') {
    return new PartError(
      'MissingPrerequisite',
      `${context.name}: apt's downloader ${downloader} is missing; install apt`,
    );
  }
  const error = toolError({
    doing: `${context.name}: downloading ${wanted.path}`,
    result,
    networkAdvice: 'check the network, or the mirrors and proxies that apt is set up to use',
  });
  return error.code === 'BuildFailed' ? new PartError('DownloadFailed', error.message) : error;
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
