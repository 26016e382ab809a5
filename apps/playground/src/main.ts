// SPDX-License-Identifier: Apache-2.0
import { parseArgs } from 'node:util';
import { runPlayground } from './playground.ts';

const usage = `Usage: npm start -- [options]

  --once            end with status 0 as soon as the cluster is available
  --size N          members of the example cluster (default 3)
  --version X.Y.Z   version of etcd (default the operator's)
`;

const { values } = parseArgs({
  options: {
    once: { type: 'boolean', default: false },
    size: { type: 'string', default: '3' },
    version: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  process.stdout.write(usage);
} else {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => stop.abort(new Error(`received ${signal}`)));
  }
  try {
    const { once, size, version } = values;
    await runPlayground(
      {
        once,
        size: Number(size),
        ...(version !== undefined && { version }),
        write: (line) => process.stdout.write(`${line}\n`),
      },
      stop.signal,
    );
  } catch (error) {
    if (!stop.signal.aborted) {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = 1;
    }
  }
}
