// SPDX-License-Identifier: Apache-2.0
/** The guide, typed as written into the shell of one playground, after `npm start`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeOneDiffer, valuesOf } from './testing/differing-member.ts';
import { Reader } from './testing/reader.ts';
import { installPage, troublePages, typedSeries } from './testing/typed-pages.ts';

/** install.lab.test.ts types the other two installations, each in a separate lab. */
const isFirstWay = (section: string) => section === 'As in the walk-through: two commands';
const isRemoval = (section: string) => section === 'Uninstall';

let reader: Reader;
beforeAll(async () => {
  reader = await Reader.sitDown();
});
afterAll(() => reader?.[Symbol.asyncDispose]());

const follow = (page: string, ...sections: readonly string[]) =>
  reader.follow(page, sections.length === 0 ? undefined : (section) => sections.includes(section));

describe('the user guide, typed as written', () => {
  test('install', async () => {
    expect(await reader.follow(installPage, isFirstWay)).toBeGreaterThan(0);
    expect(await reader.lab('backup')).toContain('backed up to backups/example-1');
  });

  // Concurrently, as two readers of one playground: pages do not disturb each other.
  describe.concurrent('from top to bottom', () => {
    test.each(typedSeries.map((pages) => ({ pages, first: pages[0] })))(
      '$first and the pages after it',
      async ({ pages }) => {
        for (const page of pages) expect(await follow(page)).toBeGreaterThan(0);
      },
      600_000,
    );

    test('tls, and certificates that expire', async () => {
      const { tls, certificateExpired } = troublePages;
      expect(await follow(tls, 'An example with openssl')).toBe(4);
      await reader.type(`for name in peer server etcd-client; do
        openssl x509 -req -in $name.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 0 -extfile $name.ext -out $name.crt
        kubectl create secret generic safe-$name --from-file=$name.crt --from-file=$name.key --from-file=$name-ca.crt=ca.crt --dry-run=client -o yaml | kubectl replace -f -
      done
      until ! told=$(kubectl etcd members safe 2>&1) && grep 'no member of EtcdCluster default/safe is reachable' <<< "$told"; do sleep 1; done`);
      expect(await follow(certificateExpired)).toBe(2);
      expect(await follow(tls, 'Rotation')).toBe(1);
    }, 600_000);
  });

  test('quorum that is lost for a while, a node that is gone, and members that are', async () => {
    const { quorumLost, nodeGone } = troublePages;
    // Each member on a separate node.
    await reader.type(`kubectl apply -f - <<'END'
apiVersion: etcd.database.coreos.com/v1beta2
kind: EtcdCluster
metadata: { name: my-cluster }
spec: { size: 3, pod: { antiAffinity: true } }
END
      kubectl wait --for condition=Available --timeout=120s etcdcluster/my-cluster
      kubectl wait --for jsonpath='{.status.readySize}'=3 --timeout=120s etcdcluster/my-cluster
      kubectl create secret generic aws --from-file=$AWS_DIR/credentials --from-file=$AWS_DIR/config
      kubectl etcd backup create my-cluster --name mine --s3-path my-bucket/my-cluster.backup --aws-secret aws --wait`);
    const placed = await reader.type(
      "kubectl get pods -l etcd_cluster=my-cluster -o jsonpath='{.items[*].spec.nodeName}'",
    );
    const [one = '', other = ''] = placed.split(' ');
    await reader.lab('cut', one);
    await reader.lab('cut', other);
    expect(await follow(quorumLost, 'Which members are missing, and why')).toBe(1);
    await reader.lab('heal', one);
    expect(await follow(quorumLost, 'If they can come back')).toBe(1);

    await reader.type(`kubectl wait --for condition=Ready=Unknown --timeout=120s node/${other}`);
    expect(await follow(nodeGone, 'Which node, which member', 'The node is permanently gone')).toBe(2);
    await reader.lab('heal', other);
    expect(await follow(nodeGone, 'It was repaired')).toBe(1);

    await reader.type(`kubectl delete pods --grace-period=0 --force $(kubectl get pods -l etcd_cluster=my-cluster -o jsonpath='{.items[0].metadata.name} {.items[1].metadata.name}')
      kubectl wait --for condition=Available=False --timeout=120s etcdcluster/my-cluster`);
    expect(await follow(quorumLost, 'If they cannot, and a member has data')).toBe(2);
    await reader.type(`kubectl delete --grace-period=0 --force $(kubectl get pods -l etcd_cluster=my-cluster -o name)
      kubectl wait --for condition=Available=False --timeout=120s etcdcluster/my-cluster`);
    expect(await follow(quorumLost, 'If no data is left')).toBe(1);
    expect(await follow(quorumLost, 'Let the operator recover by itself')).toBe(1);
    await reader.type(
      'kubectl delete etcdcluster my-cluster && kubectl delete $(kubectl get etcdrestores -o name | grep my-cluster) && kubectl delete etcdbackup mine && kubectl delete secret aws',
    );
  }, 600_000);

  test('quorum that is lost with the volumes of two members: the third has every write on its own', async () => {
    const { quorumLost } = troublePages;
    const first = "$(kubectl get pods -l etcd_cluster=my-cluster -o jsonpath='{.items[0].metadata.name}')";
    await reader.type(`kubectl apply -f - <<'END'
apiVersion: etcd.database.coreos.com/v1beta2
kind: EtcdCluster
metadata: { name: my-cluster }
spec:
  size: 3
  pod:
    persistentVolumeClaimSpec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
END
      kubectl wait --for jsonpath='{.status.readySize}'=3 --timeout=120s etcdcluster/my-cluster
      kubectl exec ${first} -c etcd -- etcdctl put precious data
      lost=$(kubectl get pods -l etcd_cluster=my-cluster -o jsonpath='{.items[0].metadata.name} {.items[1].metadata.name}')
      kubectl delete pvc --wait=false $lost
      kubectl delete pods --grace-period=0 --force $lost`);
    expect(await follow(quorumLost, 'Which members are missing, and why')).toBe(1);
    expect(await reader.type('kubectl etcd recover my-cluster')).toContain('its WAL is read from its volume');
    expect(await follow(quorumLost, 'If they cannot, and a member has data')).toBe(2);
    expect(await reader.type(`kubectl exec ${first} -c etcd -- etcdctl get precious --print-value-only`)).toBe(
      'data\n',
    );
    await reader.type(
      'kubectl delete etcdcluster my-cluster && kubectl delete $(kubectl get etcdrestores -o name | grep my-cluster) && kubectl delete pvc -l etcd_cluster=my-cluster',
    );
  }, 600_000);

  test('members that hold different data', async () => {
    await reader.type(`kubectl apply -f - <<'END'
apiVersion: etcd.database.coreos.com/v1beta2
kind: EtcdCluster
metadata: { name: my-cluster }
spec:
  size: 2
  pod:
    etcdEnv:
      - { name: ETCD_FEATURE_GATES, value: CompactHashCheck=true }
      - { name: ETCD_COMPACT_HASH_CHECK_TIME, value: 1s }
END
      kubectl wait --for jsonpath='{.status.readySize}'=2 --timeout=120s etcdcluster/my-cluster
      kubectl create secret generic aws --from-file=$AWS_DIR/credentials --from-file=$AWS_DIR/config`);
    const wrong = await makeOneDiffer(reader, 'my-cluster');
    const { dataCorruption } = troublePages;
    expect(await follow(dataCorruption, 'What does the operator say?', 'Save every copy')).toBe(2);
    const why = `{.status.conditions[?(@.type=="Available")].reason}`;
    expect(await reader.type(`kubectl get etcdcluster my-cluster -o jsonpath='${why}'`)).toBe('Corrupt');
    expect(await follow(dataCorruption, 'Which copy is right?')).toBe(1);
    await reader.type(`echo ${wrong} > wrong.txt`);
    expect(await follow(dataCorruption, 'Keep the right one')).toBe(1);
    expect(await valuesOf(reader, 'my-cluster', 'needle')).toEqual(['right-value', 'right-value']);
    await reader.type(
      'kubectl delete etcdcluster my-cluster && kubectl delete secret aws && kubectl delete $(kubectl get etcdbackups -o name | grep copy-of-)',
    );
  }, 600_000);

  test('uninstall, and the playground still has what it had', async () => {
    expect(await reader.follow(installPage, isRemoval)).toBeGreaterThan(0);
    expect(await reader.type('kubectl get etcdbackups -o name')).toBe(
      'etcdbackup.etcd.database.coreos.com/example-1\n',
    );
    expect(await reader.lab('restore')).toContain('restored from backups/example-1');
  });
});
