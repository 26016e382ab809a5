// SPDX-License-Identifier: Apache-2.0
import { connect, createClient } from '@operator-parts/kube';
import { createLogger, systemClock, textLines } from '@operator-parts/ports';
import { clusterOf } from './cluster.ts';
import { numberOf, parseFlags, usage } from './command-line.ts';
import { runNetworkController } from './network-controller.ts';
import { connectNeutron } from './neutron/neutron-client.ts';

const flags = {
  kubeconfig: { help: 'file with the way to the cluster; needed only outside of one', default: '' },
  master: { help: 'address of the API server, instead of that in the kubeconfig', default: '' },
  alsologtostderr: { help: 'accepted; the log always goes to standard error', default: 'true', isBoolean: true },
  neutron: { help: 'address of the network service (default http://127.0.0.1:9696)', default: 'http://127.0.0.1:9696' },
  resync: { help: 'seconds after which everything is looked at again (default 30)', default: '30' },
} as const;

async function run(given: Readonly<Record<keyof typeof flags, string>>): Promise<void> {
  const resyncPeriod = numberOf(flags, given, 'resync', [1, 86_400]) * 1000;
  const clock = systemClock;
  const log = createLogger({ clock, write: textLines(process.stderr) });
  const transport = connect(await clusterOf(given, process.env));
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const neutron = connectNeutron({ url: given.neutron, clock });
  await runNetworkController({ client: createClient(transport), neutron, log, clock, resyncPeriod }, stop.signal);
  await transport.close();
}

try {
  const given = parseFlags(flags, process.argv.slice(2));
  if (given === 'help') process.stdout.write(`${usage(flags)}\n`);
  else await run(given);
} catch (error) {
  process.stderr.write(`network-controller: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
