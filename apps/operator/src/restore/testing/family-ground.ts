// SPDX-License-Identifier: Apache-2.0
import { isIPv6 } from 'node:net';
import { TestAuthority } from '@etcd-operator/tools';
import { clientPort, MemberClient } from '@operator-parts/etcd';
import { secrets, services } from '@operator-parts/kube';
import type { IpFamilies } from '@operator-parts/kube-lab';
import { silentLogger, systemClock } from '@operator-parts/ports';
import { etcdBackups } from '../../api/etcd-backup.ts';
import type { EtcdClusterSpec } from '../../api/etcd-cluster.ts';
import { clientServiceName } from '../../api/names.ts';
import { runEtcdBackupOperator } from '../../backup-operator.ts';
import { RestoreLab } from './restore-lab.ts';

const namespace = 'default';

/** All operators in a lab whose pods and Services have addresses of these IP families. */
export class FamilyGround implements AsyncDisposable {
  readonly lab: RestoreLab;
  readonly #stop = new AbortController();
  readonly #backups: Promise<void>;

  private constructor(lab: RestoreLab) {
    this.lab = lab;
    const { clusters, directory } = lab;
    const options = { client: clusters.lab.client(), log: silentLogger, identity: 'backup', leaderElection: false };
    const storage = { directory };
    this.#backups = runEtcdBackupOperator(
      { ...options, namespace, dial: clusters.paths.dial, storage },
      this.#stop.signal,
    );
    this.#backups.catch(() => undefined);
  }

  static async start(ipFamilies: IpFamilies): Promise<FamilyGround> {
    return new FamilyGround(await RestoreLab.start({ ipFamilies }));
  }

  /** Creates Secrets with certificates that contain only names; the test's own client uses them as well. */
  async certificates(cluster: string): Promise<NonNullable<EtcdClusterSpec['TLS']>> {
    const authority = await TestAuthority.create('lab');
    const names = [
      `*.${cluster}.default.svc`,
      `*.${cluster}.default.svc.cluster.local`,
      `${cluster}-client.default.svc`,
    ];
    const { cert, key } = await authority.issue({ names: [...names, 'localhost'] });
    const encode = (text: string) => Buffer.from(text).toString('base64');
    const data = { 'tls.crt': encode(cert), 'tls.key': encode(key), 'ca.crt': encode(authority.ca) };
    const { clusters } = this.lab;
    await clusters.lab
      .client()
      .resource(secrets)
      .create({ metadata: { name: cluster, namespace }, data });
    const tls = { ca: authority.ca, cert, key };
    clusters.access.set(cluster, { tls: () => tls, serverName: `${cluster}-client.default.svc` });
    return { static: { member: { peerSecret: cluster, serverSecret: cluster }, operatorSecret: cluster } };
  }

  async create(name: string, spec: EtcdClusterSpec): Promise<void> {
    await this.lab.clusters.create(name, { version: '3.6.16', ...spec });
    await this.lab.clusters.settled(name);
  }

  put(cluster: string, key: string, value: string): Promise<void> {
    return this.lab.clusters.put(cluster, key, value);
  }

  /** The IP families of each pod's addresses. */
  async families(cluster: string): Promise<readonly string[]> {
    const pods = await this.lab.clusters.pods(cluster);
    return pods.map(({ status }) => (status?.podIPs ?? []).map(({ ip }) => (isIPv6(ip) ? 'IPv6' : 'IPv4')).join());
  }

  /** The value that a client of the Service reads. */
  async readAtService(cluster: string, key: string): Promise<string | undefined> {
    const { clusters } = this.lab;
    const service = { namespace, name: clientServiceName(cluster) };
    const { spec } = await clusters.lab.client().resource(services).get(service);
    using client = new MemberClient({
      target: { host: spec?.clusterIP ?? '', port: clientPort },
      clock: systemClock,
      dial: ({ host, port }) => clusters.lab.dial(host, port),
      ...clusters.access.get(cluster),
    });
    const [first] = (await client.kv.range({ key: Buffer.from(key) })).kvs;
    return first && Buffer.from(first.value).toString();
  }

  async backup(name: string): Promise<void> {
    const { clusters } = this.lab;
    const backups = clusters.lab.client().resource(etcdBackups.resource);
    await backups.create({
      apiVersion: 'etcd.database.coreos.com/v1beta2',
      kind: 'EtcdBackup',
      metadata: { name, namespace },
      spec: { clusterRef: { name }, storageType: 'Directory', directory: { path: `${name}.db` } },
    });
    await clusters.until(`backup of ${name}`, async () => {
      const { status } = await backups.get({ namespace, name });
      return status?.succeeded || undefined;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#backups.catch(() => undefined);
    await this.lab[Symbol.asyncDispose]();
  }
}
