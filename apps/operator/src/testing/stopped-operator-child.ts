// SPDX-License-Identifier: Apache-2.0
/**
 * The etcd-operator as a separate process that stops itself (SIGSTOP) between planning a step and carrying it out: `node
 * stopped-operator-child.ts <kubeconfig> <port of the relay to members> <step>`.
 */
import { connect as connectTcp } from 'node:net';
import { connect, createClient, loadConfig } from '@operator-parts/kube';
import { createLogger, systemClock, systemRandom } from '@operator-parts/ports';
import { runEtcdOperator } from '../cluster-operator.ts';

const [kubeconfig = '', relay = '', step = ''] = process.argv.slice(2);
const config = await loadConfig({ env: process.env, kubeconfig });
await runEtcdOperator(
  {
    client: createClient(connect(config, { clock: systemClock, random: systemRandom })),
    log: createLogger({
      clock: systemClock,
      write: ({ message, fields }) => {
        if (message === 'step' && fields?.['do'] === step) process.kill(process.pid, 'SIGSTOP');
      },
    }),
    namespace: 'default',
    identity: 'stopped',
    createCrd: false,
    readLog: () => Promise.resolve(''),
    healthInterval: 1_000,
    dial: async ({ host, port }) => {
      const socket = connectTcp(Number(relay), '127.0.0.1');
      socket.write(`${host} ${port}\n`);
      return socket;
    },
  },
  new AbortController().signal,
);
