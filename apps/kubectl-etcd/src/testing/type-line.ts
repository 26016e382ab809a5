// SPDX-License-Identifier: Apache-2.0
import { runCommand } from '../run-command.ts';

/** What a command has said, and how it ended. */
export interface Outcome {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Types a line behind `kubectl etcd`, in this process; `file` is what any file named in it holds. */
export async function typeLine(line: string, kubeconfig: string, signal: AbortSignal, file = ''): Promise<Outcome> {
  let [out, err] = ['', ''];
  const surface = {
    env: { KUBECONFIG: kubeconfig },
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      err += text;
    },
    readFile: async () => file,
  };
  const status = await runCommand(line.split(' '), surface, signal);
  return { status, out, err };
}
