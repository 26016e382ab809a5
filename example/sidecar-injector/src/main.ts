// SPDX-License-Identifier: Apache-2.0
import { parseArgs } from 'node:util';
import { connect, createClient, loadConfig } from '@etcd-operator/kube';
import { createLogger, systemClock, textLines } from '@etcd-operator/ports';
import { runSidecarInjector } from './sidecar-injector.ts';

const options = {
  /** File with the way to the cluster; needed only outside of one. */
  kubeconfig: { type: 'string' },
  /** Where the ConfigMap, the Secret and the lease are. @default that of the Pod, or of the kubeconfig */
  namespace: { type: 'string' },
  host: { type: 'string', default: '0.0.0.0' },
  port: { type: 'string', default: '9443' },
  /** Where probes and metrics are answered. */
  'http-port': { type: 'string', default: '8080' },
} as const;

try {
  const { kubeconfig, namespace, host, port, 'http-port': httpPort } = parseArgs({ options }).values;
  const config = await loadConfig({ env: process.env, ...(kubeconfig && { kubeconfig }) });
  const transport = connect(config);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  await runSidecarInjector(
    {
      client: createClient(transport),
      log: createLogger({ clock: systemClock, write: textLines(process.stderr) }),
      namespace: namespace ?? config.namespace,
      listen: { host, port: Number(port) },
      http: { host, port: Number(httpPort) },
    },
    stop.signal,
  );
  await transport.close();
} catch (error) {
  process.stderr.write(`sidecar-injector: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
