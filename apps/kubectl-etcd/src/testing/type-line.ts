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
  let [out, err] = ['', ''];
  const io = {
    env: { KUBECONFIG: kubeconfig },
    out: (text: string) => {
      out += text;
      told(out);
    },
    err: (text: string) => {
      err += text;
    },
    readFile: async () => file,
    stdin: Readable.from([Buffer.from(file)]),
  };
  const status = await runCommand(line.split(' '), io, signal);
  return { status, out, err };
}
