// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream';
import { runCommand } from '../run-command.ts';

/** The output and exit status of a command. */
export interface Outcome {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `kubectl etcd` with a line in this process; `file` is the content of any file named in it. */
export async function typeLine(
  line: string,
  kubeconfig: string,
  signal: AbortSignal,
  file = '',
  told: (out: string) => void = () => undefined,
): Promise<Outcome> {
  const [out, err]: readonly [Buffer[], Buffer[]] = [[], []];
  const read = (pieces: readonly Buffer[]) => Buffer.concat(pieces).toString();
  const io = {
    env: { KUBECONFIG: kubeconfig },
    out: (written: string | Uint8Array) => {
      out.push(Buffer.from(written));
      told(read(out));
    },
    err: (written: string | Uint8Array) => {
      err.push(Buffer.from(written));
    },
    readFile: async () => file,
    stdin: Readable.from([Buffer.from(file)]),
  };
  const status = await runCommand(line.split(' '), io, signal);
  return { status, out: read(out), err: read(err) };
}
