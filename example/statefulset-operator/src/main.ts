// SPDX-License-Identifier: Apache-2.0
import { connect, createClient, loadConfig } from '@operator-parts/kube';
import { createLogger, systemClock, textLines } from '@operator-parts/ports';
import { runOperator } from './operator.ts';

/** kubectl's configuration: `$KUBECONFIG`, `~/.kube/config`, or the cluster in which this program runs. */
const transport = connect(await loadConfig({ env: process.env }));
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
const log = createLogger({ clock: systemClock, write: textLines(process.stderr) });
await runOperator({ client: createClient(transport), log }, stop.signal);
await transport.close();
