// SPDX-License-Identifier: Apache-2.0
import { LeashedProcess, startLimit } from './leashed-process.ts';

/** Where an etcd begins: its data, and the flags that say who it is. */
export interface EtcdPlace {
  readonly dataFolder: string;
  readonly identity: readonly string[];
}

/** Starts an etcd with its log beside its data, and waits until it is ready. */
export async function startEtcd(
  program: string,
  { dataFolder, identity }: EtcdPlace,
  client: number,
  peer: number,
): Promise<LeashedProcess> {
  const url = `http://127.0.0.1:${client}`;
  const flags = [
    `--data-dir=${dataFolder}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=http://127.0.0.1:${peer}`,
    ...identity,
    '--unsafe-no-fsync',
  ];
  const etcd = await LeashedProcess.start('etcd', program, flags, `${dataFolder}.log`);
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

/** What says who this etcd is, also to `etcdutl snapshot restore`. */
export function identityFlags(peer: number): readonly string[] {
  const url = `http://127.0.0.1:${peer}`;
  return [`--initial-advertise-peer-urls=${url}`, `--initial-cluster=default=${url}`];
}

/** Compacts up to the present revision, through etcd's JSON gateway. */
export async function compactEtcd(url: string): Promise<void> {
  const call = async (path: string, body: unknown) => {
    const answer = await fetch(url + path, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`etcd answered ${answer.status} to ${path}: ${await answer.text()}`);
    return (await answer.json()) as { header: { revision: string } };
  };
  const { header } = await call('/v3/kv/range', { key: 'AA==', limit: '1' });
  await call('/v3/kv/compaction', { revision: header.revision, physical: true });
}
