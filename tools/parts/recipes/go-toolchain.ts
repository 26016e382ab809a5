// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import type { RunResult } from '../../process/run-program.ts';
import { type BuildContext, runInBuild } from '../build/build-context.ts';
import { toolError } from '../build/tool-failure.ts';
import { PartError } from '../part.ts';

/** Throws unless PATH contains a Go that is new enough, or that downloads a newer one. */
export async function requireGo(context: BuildContext, wanted: string): Promise<void> {
  const answer = await go(context, ['env', 'GOVERSION', 'GOTOOLCHAIN']);
  const [version = '', toolchain = ''] = answer.stdout.split('\n');
  const found = /^go(\d+)\.(\d+)/.exec(version);
  if (answer.outcome !== 'ok' || !found) {
    throw new PartError(
      'MissingPrerequisite',
      `${context.name} is built from source, and Go ${wanted} or newer was not found on PATH: install it (https://go.dev/dl) and run the command again`,
    );
  }
  const [wantedMajor = 0, wantedMinor = 0] = wanted.split('.').map(Number);
  const [major, minor] = [Number(found[1]), Number(found[2])];
  const isEnough = major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
  const fetchesNewer = (major > 1 || minor >= 21) && toolchain.trim() !== 'local';
  if (isEnough || fetchesNewer) return;
  throw new PartError(
    'MissingPrerequisite',
    `${context.name} needs Go ${wanted} or newer, but PATH has ${version.trim()}: install a newer one (https://go.dev/dl) and run the command again`,
  );
}

/** Runs a go command that may use the network; its failure is the part's failure. */
export async function goOrThrow(context: BuildContext, doing: string, args: readonly string[]): Promise<string> {
  const result = await go(context, args);
  if (result.outcome === 'ok') return result.stdout;
  throw toolError({
    doing: `${context.name}: ${doing}`,
    result,
    networkAdvice: 'check the network, or the module proxy that `go env GOPROXY` shows',
  });
}

/** Runs the go command isolated from the user's other Go settings (workspaces, cross-compiling). */
function go(context: BuildContext, args: readonly string[]): Promise<RunResult> {
  return runInBuild(context, 'go', args, {
    CGO_ENABLED: '0',
    GO111MODULE: 'on',
    GOFLAGS: '-buildvcs=false',
    GOWORK: 'off',
    GOOS: undefined,
    GOARCH: undefined,
    // Go's temporary files are placed where they are removed even after SIGKILL.
    GOTMPDIR: join(context.work, 'tmp'),
  });
}
