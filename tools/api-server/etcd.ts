// SPDX-License-Identifier: Apache-2.0
import { LeashedProcess, startLimit } from './leashed-process.ts';

/** Starts an etcd with its data and its log in `folder`, and waits until it is ready. */
export async function startEtcd(
  program: string,
  folder: string,
  client: number,
  peer: number,
): Promise<LeashedProcess> {
  const [url, peerUrl] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
  const flags = [
    `--data-dir=${folder}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
    '--unsafe-no-fsync',
  ];
  const etcd = await LeashedProcess.start('etcd', program, flags, `${folder}.log`);
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await etcd.until(isReady, startLimit).catch(async (error: unknown) => {
    await etcd[Symbol.asyncDispose]();
    throw error;
  });
  return etcd;
}
