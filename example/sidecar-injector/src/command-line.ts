// SPDX-License-Identifier: Apache-2.0
import { parseArgs } from 'node:util';

/** The parsed command line. */
export interface CommandLine {
  readonly kubeconfig: string | undefined;
  readonly namespace: string | undefined;
  readonly host: string | undefined;
  readonly port: number;
  readonly httpPort: number;
}

export const help = `sidecar-injector [flags]
  --kubeconfig=<file>   the way to the cluster; needed only outside of one
  --namespace=<name>    where the ConfigMap, the Secret and the lease are; by default that of the Pod, or of the kubeconfig
  --host=<address>      where it listens (default: every address, of both IP families)
  --port=<number>       where the API server calls (default 9443)
  --http-port=<number>  where probes and metrics are answered (default 8080)
  -h, --help            this text
`;

const options = {
  kubeconfig: { type: 'string' },
  namespace: { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string', default: '9443' },
  'http-port': { type: 'string', default: '8080' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Parses a command line; 'help' if it asks for help. Throws an error for an invalid one. */
export function readCommandLine(args: readonly string[]): CommandLine | 'help' {
  const { values } = parseArgs({ args: [...args], options });
  if (values.help) return 'help';
  const { kubeconfig, namespace, host } = values;
  return { kubeconfig, namespace, host, port: portOf(values, 'port'), httpPort: portOf(values, 'http-port') };
}

function portOf<Name extends string>(values: Readonly<Record<Name, string>>, name: Name): number {
  const port = Number(values[name]);
  if (/^\d{1,5}$/.test(values[name]) && port > 0 && port < 65_536) return port;
  throw new Error(`--${name} is a port from 1 to 65535, not ${values[name]}`);
}
