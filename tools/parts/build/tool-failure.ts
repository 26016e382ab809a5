// SPDX-License-Identifier: Apache-2.0
import type { RunResult } from '../../process/run-program.ts';
import { PartError, type PartErrorCode } from '../part.ts';

/** The failed step, and advice for each cause. */
export interface ToolFailure {
  /** For example "etcd@3.6: compiling etcdctl". */
  readonly doing: string;
  readonly result: Pick<RunResult, 'ending' | 'stdout' | 'stderr'>;
  /** Advice for network failures. */
  readonly networkAdvice: string;
}

/** The cause of a tool's failure, from the messages of Go, apt, dpkg and npm. The first match counts. */
const causes: readonly { readonly code: PartErrorCode; readonly words: RegExp }[] = [
  { code: 'NoSpace', words: /no space left on device|disk quota exceeded|not enough (free )?space|\bENOSPC\b/i },
  { code: 'ChecksumMismatch', words: /checksum mismatch|hash sum mismatch|SECURITY ERROR|\bEINTEGRITY\b/i },
  {
    code: 'DownloadFailed',
    words:
      /connection (refused|reset|failed|timed out)|could not connect|unable to connect|dial tcp|no such host|i\/o timeout|TLS handshake|network is unreachable|temporary failure|could(n't| not) resolve|\b(40[34]|410|429|5\d\d)\b .*(not found|gone|forbidden|gateway|unavailable|error|too many)|failed to fetch|module lookup disabled|unexpected EOF|reason: .*\b(ECONN\w+|ENOTFOUND|ETIMEDOUT|EAI_AGAIN)\b/i,
  },
];

/** Converts a failed command to an error for users. */
export function toolError(failure: ToolFailure): PartError {
  const output = `${failure.result.stderr}\n${failure.result.stdout}`;
  const cause = causes.find(({ words }) => words.test(output));
  const line = telling(output, cause?.words) ?? `ended with ${failure.result.ending}`;
  const code = cause?.code ?? 'BuildFailed';
  return new PartError(code, `${failure.doing} failed: ${line}; ${advice(code, failure)}`);
}

function advice(code: PartErrorCode, failure: ToolFailure): string {
  switch (code) {
    case 'NoSpace':
      return 'free some disk space and run the command again';
    case 'ChecksumMismatch':
      return 'what was downloaded is not what this project expects, so nothing of it was kept';
    case 'DownloadFailed':
      return `${failure.networkAdvice}, then run the command again`;
    default:
      return 'nothing of it was kept';
  }
}

/** The line that names the cause, otherwise the last non-empty one. */
function telling(output: string, words: RegExp | undefined): string | undefined {
  const lines = output.split('\n').map((line) => line.trim());
  const said = lines.filter((line) => line !== '');
  const line = (words && said.find((candidate) => words.test(candidate))) ?? said.at(-1);
  return line?.replace(/^E: |[.;]+$/g, '').slice(0, 400);
}
