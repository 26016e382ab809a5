// SPDX-License-Identifier: Apache-2.0
/** A real Prometheus scrapes real members and operators by `deploy/monitoring/prometheus.yml`: alerts find what they ask for, and fire. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePart, freePort } from '@etcd-operator/tools';
import { memberAlerts, operatorAlerts } from '@etcd-operator/tools/deploy';
import { metricNames } from '@etcd-operator/tools/deploy/testing';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { Reader } from './testing/reader.ts';
import { installPage } from './testing/typed-pages.ts';

const monitoring = join(import.meta.dirname, '../../deploy/monitoring');

interface Configuration {
  readonly global: object;
  readonly scrape_configs: readonly {
    readonly kubernetes_sd_configs: readonly object[];
    readonly relabel_configs: readonly object[];
  }[];
}
interface Series {
  readonly metric: Readonly<Record<string, string>>;
}

let reader: Reader;
let address: string;
const children: ChildProcess[] = [];
const folder = mkdtempSync(join(tmpdir(), 'monitoring-'));

beforeAll(async () => {
  reader = await Reader.sitDown('--empty');
  await reader.follow(installPage, (section) => section === 'One file');
  await reader.type(`kubectl create secret generic aws --from-file=$AWS_DIR/credentials --from-file=$AWS_DIR/config
    kubectl apply -f - <<'END'
apiVersion: etcd.database.coreos.com/v1beta2
kind: EtcdCluster
metadata: { name: drill }
spec:
  size: 2
  pod: { etcdEnv: [{ name: ETCD_QUOTA_BACKEND_BYTES, value: "16777216" }, { name: ETCD_METRICS, value: extensive }] }
---
apiVersion: etcd.database.coreos.com/v1beta2
kind: EtcdBackup
metadata: { name: kept }
spec:
  clusterRef: { name: drill }
  storageType: S3
  backupPolicy: { backupIntervalInSecond: 3600, maxBackups: 2 }
  continuous: {}
  prove: { everyNth: 1 }
  s3: { path: my-bucket/kept.backup, awsSecret: aws }
---
apiVersion: etcd.database.coreos.com/v1beta2
kind: EtcdBackup
metadata: { name: refused }
spec:
  clusterRef: { name: drill }
  storageType: S3
  s3: { path: no-such-bucket/refused.backup, awsSecret: aws }
END
    kubectl wait --for condition=Proven --timeout=240s etcdbackup/kept`);
  address = await startPrometheus(join(monitoring, 'alerts.yaml'));
}, 600_000);

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await reader?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Pods of a lab are reached through its API server only. All else is as in our file, but for the pace. */
async function startPrometheus(rules: string): Promise<string> {
  const [kubeconfig, kubectl] = (await reader.type('echo $KUBECONFIG; command -v kubectl')).trim().split('\n');
  const [proxy, port] = [await freePort(), await freePort()];
  children.push(spawn(kubectl ?? '', [`--kubeconfig=${kubeconfig}`, 'proxy', `--port=${proxy}`], { stdio: 'ignore' }));
  const ours = parse(readFileSync(join(monitoring, 'prometheus.yml'), 'utf8')) as Configuration;
  const of = (name: string) => `__meta_kubernetes_${name}`;
  const throughApiServer = [
    {
      source_labels: [of('namespace'), of('pod_name'), of('pod_container_port_number')],
      regex: '(.+);(.+);(.+)',
      replacement: '/api/v1/namespaces/$1/pods/$2:$3/proxy/metrics',
      target_label: '__metrics_path__',
    },
    { target_label: '__address__', replacement: `127.0.0.1:${proxy}` },
  ];
  const configuration = {
    ...ours,
    global: { scrape_interval: '2s', evaluation_interval: '2s' },
    rule_files: [rules],
    scrape_configs: ours.scrape_configs.map((job) => ({
      ...job,
      kubernetes_sd_configs: job.kubernetes_sd_configs.map((pods) => ({ ...pods, kubeconfig_file: kubeconfig })),
      relabel_configs: [...job.relabel_configs, ...throughApiServer],
    })),
  };
  const file = join(folder, `prometheus-${port}.yml`);
  writeFileSync(file, stringify(configuration));
  const program = (await ensurePart('prometheus')).programs['prometheus'] ?? '';
  const flags = [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, `data-${port}`)}`];
  const listen = `--web.listen-address=127.0.0.1:${port}`;
  children.push(spawn(program, [...flags, listen], { cwd: folder, stdio: 'ignore' }));
  return `http://127.0.0.1:${port}`;
}

async function ask(query: string): Promise<readonly Series[]> {
  const answer = await fetch(`${address}/api/v1/query?query=${encodeURIComponent(query)}`).then(
    (response) => response.json() as Promise<{ readonly data?: { readonly result: readonly Series[] } }>,
    () => undefined,
  );
  return answer?.data?.result ?? [];
}

/** Waits until a query has an answer. */
async function answerTo(query: string): Promise<readonly Series[]> {
  for (;;) {
    const found = await ask(query);
    if (found.length > 0) return found;
    await systemClock.sleep(500);
  }
}

/** A cluster with certificates, and a round trip between more than two members, are in other tests. */
const notHere = ['etcd_operator_cluster_certificate_expiry'];

test('every metric of every alert is there, with the labels that the alert says', async () => {
  await answerTo('up{job="etcd-operator"} == 1');
  expect(
    await answerTo('up{job="etcd-members",etcd_cluster="drill"} == 1 and on() count(up{job="etcd-members"} == 1) == 2'),
  ).toHaveLength(2);
  const missing: string[] = [];
  for (const { name, expr, summary } of [...memberAlerts, ...operatorAlerts]) {
    for (const metric of metricNames(expr).filter(
      (one) => !notHere.includes(one) && one !== 'etcd_operator_cluster_alarm',
    )) {
      const histogram = expr.includes(`${metric}_bucket`);
      const [series] = await answerTo(histogram ? `${metric}_bucket` : metric);
      const isGrouped = metric === 'up' || expr.startsWith('increase((max by');
      const asked = [...summary.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label);
      const absent = asked.filter((label) => series?.metric[label] === undefined);
      if (absent.length > 0 && !isGrouped) missing.push(`${name}: ${metric} has no label ${absent.join(', ')}`);
    }
  }
  expect(missing).toEqual([]);
}, 300_000);

test('of a backup and of a cluster they name the namespace, not that of the operator', async () => {
  for (const metric of ['etcd_operator_cluster_has_quorum', 'etcd_operator_backup_last_success']) {
    const series = await answerTo(metric);
    expect(series.map(({ metric: { namespace } }) => namespace)).toEqual(['default']);
  }
});

test('a database that is full makes EtcdClusterNoSpace fire, and nothing else', async () => {
  await reader.type(`pod=$(kubectl get pods -l etcd_cluster=drill -o jsonpath='{.items[0].metadata.name}')
    value=$(head -c 1000000 /dev/zero | tr '\\0' x)
    for n in $(seq 30); do echo "$value" | kubectl exec -i $pod -c etcd -- etcdctl put big > /dev/null || break; done
    kubectl wait --for condition=Available=False --timeout=120s etcdcluster/drill`);
  const [firing] = await answerTo('ALERTS{alertstate="firing",alertname="EtcdClusterNoSpace"}');
  expect(firing?.metric).toMatchObject({ name: 'drill', namespace: 'default', severity: 'critical', alarm: 'NOSPACE' });
  const others = await ask('ALERTS{alertstate="firing",alertname!="EtcdClusterNoSpace"}');
  expect(others.map(({ metric }) => metric['alertname'])).toEqual([]);
}, 300_000);

describe('with patience of seconds', () => {
  interface Rules {
    readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
  }
  /** What an alert asks for that takes an hour, and what takes seconds. */
  const sooner: Readonly<Record<string, readonly [string, string]>> = {
    EtcdBackupTooOld: ['> 3600', '> 5'],
    EtcdBackupFailing: ['> 3', '> 1'],
  };

  beforeAll(async () => {
    const { groups } = parse(readFileSync(join(monitoring, 'alerts.yaml'), 'utf8')) as Rules;
    const shortened = groups.map((group) => ({
      ...group,
      rules: group.rules.map((rule) => {
        const [late, soon] = sooner[rule.alert] ?? ['', ''];
        if (!rule.expr.includes(late)) throw new Error(`${rule.alert} does not ask for ${late}`);
        return { ...rule, for: '2s', expr: rule.expr.replace(late, soon) };
      }),
    }));
    const file = join(folder, 'shortened.yaml');
    writeFileSync(file, stringify({ groups: shortened }));
    address = await startPrometheus(file);
    await answerTo('up{job="etcd-operator"} == 1');
  }, 120_000);

  const firing = async (alert: string) => {
    const [found] = await answerTo(`ALERTS{alertstate="firing",alertname="${alert}"}`);
    return found?.metric;
  };

  test('a backup that fails again and again, and is late', async () => {
    await reader.type(`kubectl apply -f - <<'END'
apiVersion: etcd.database.coreos.com/v1beta2
kind: EtcdBackup
metadata: { name: late }
spec:
  clusterRef: { name: drill }
  storageType: S3
  backupPolicy: { backupIntervalInSecond: 5, maxBackups: 2 }
  s3: { path: no-such-bucket/late.backup, awsSecret: aws }
END`);
    expect(await firing('EtcdBackupTooOld')).toMatchObject({ name: 'late', namespace: 'default' });
    const late = 'ALERTS{alertstate="firing",alertname="EtcdBackupFailing",name="late"}';
    expect(await answerTo(late)).toHaveLength(1);
  }, 300_000);

  test('a member that is gone, and the quorum with it', async () => {
    const nodesOf = async (pods: string) =>
      (await reader.type(`kubectl get pods ${pods} -o jsonpath='{.items[*].spec.nodeName}'`)).trim().split(' ');
    const busy = await nodesOf('--namespace etcd-operator');
    const nodes = await nodesOf('-l etcd_cluster=drill');
    // Rather not one with an operator: then its other replica has to take over first.
    const node = nodes.find((one) => !busy.includes(one)) ?? nodes[0] ?? '';
    await reader.lab('cut', node);
    try {
      const ofDrill = { namespace: 'default', etcd_cluster: 'drill' };
      expect(await firing('etcdMembersDown')).toMatchObject(ofDrill);
      expect(await firing('etcdInsufficientMembers')).toMatchObject(ofDrill);
      expect(await firing('etcdNoLeader')).toMatchObject(ofDrill);
      expect(await firing('EtcdClusterQuorumLost')).toMatchObject({ name: 'drill', namespace: 'default' });
    } finally {
      await reader.lab('heal', node);
    }
    const over = 'ALERTS{alertstate="firing",alertname=~"EtcdClusterQuorumLost|etcdInsufficientMembers"}';
    while ((await ask(over)).length > 0) await systemClock.sleep(500);
  }, 600_000);

  test('an operator that is gone', async () => {
    await reader.type('kubectl scale deployment etcd-operator --namespace etcd-operator --replicas=0');
    expect(await firing('EtcdOperatorDown')).toMatchObject({ severity: 'critical' });
  }, 300_000);
});
