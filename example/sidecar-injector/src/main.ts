// SPDX-License-Identifier: Apache-2.0
import { connect, createClient, loadConfig } from '@operator-parts/kube';
import { createLogger, systemClock, textLines } from '@operator-parts/ports';
import { type CommandLine, help, readCommandLine } from './command-line.ts';
import { runSidecarInjector } from './sidecar-injector.ts';

async function run({ kubeconfig, namespace, host, port, httpPort }: CommandLine): Promise<void> {
  const config = await loadConfig({ env: process.env, ...(kubeconfig && { kubeconfig }) });
  const transport = connect(config);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  await runSidecarInjector(
    {
      client: createClient(transport),
      log: createLogger({ clock: systemClock, write: textLines(process.stderr) }),
      namespace: namespace ?? config.namespace,
      listen: { ...(host !== undefined && { host }), port },
      http: { ...(host !== undefined && { host }), port: httpPort },
    },
    stop.signal,
  );
  await transport.close();
}

try {
  const commandLine = readCommandLine(process.argv.slice(2));
  if (commandLine === 'help') process.stdout.write(help);
  else await run(commandLine);
} catch (error) {
  process.stderr.write(`sidecar-injector: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
