// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';

const commands: readonly (readonly [string, readonly string[]])[] = [
  ['biome', ['check', '.']],
  ['oxlint', ['--type-aware']],
  ['tsc', ['-p', '.']],
];
for (const [program, args] of commands) {
  const { status } = spawnSync(program, args, { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
