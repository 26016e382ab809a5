// SPDX-License-Identifier: Apache-2.0
import { operatorImageName } from '@etcd-operator/operator';
import { kinds } from '../deploy/kinds.ts';
import { deployment, name } from '../deploy/operator-objects.ts';
import { policyRules } from '../deploy/policy-rules.ts';
import { programs } from '../deploy/rights.ts';
import { displayName, kindWords } from './kind-words.ts';
import type { Release } from './release.ts';

/** The oldest Kubernetes that the chart allows. */
const minKubeVersion = '1.29.0';

/** An operator of all namespaces, as deploy/install.yaml installs it, in the words of the Operator Lifecycle Manager. */
export function clusterServiceVersion({ version, repository }: Pick<Release, 'version' | 'repository'>): object {
  const { spec } = deployment(['-create-crd=false', '-cluster-wide']);
  const rights = { serviceAccountName: name };
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: {
      name: `${name}.v${version}`,
      namespace: 'placeholder',
      annotations: {
        'alm-examples': JSON.stringify(examples),
        capabilities: 'Deep Insights',
        categories: 'Database',
        containerImage: operatorImageName,
        description: 'Runs etcd clusters on Kubernetes: bootstrap, scaling, healing, upgrades, backups and restores',
        repository,
        support: 'etcd-operator',
        'operators.operatorframework.io/suggested-namespace': name,
        // Every release updates the CRDs of any earlier one, so that none in between has to be installed.
        'olm.skipRange': `<${version}`,
      },
      labels: { 'operatorframework.io/arch.amd64': 'supported', 'operatorframework.io/arch.arm64': 'supported' },
    },
    spec: {
      displayName: 'etcd-operator',
      description,
      version,
      maturity: 'alpha',
      minKubeVersion,
      keywords: ['etcd', 'database', 'key-value', 'backup'],
      links: [{ name: 'Source', url: repository }],
      maintainers: [{ name: 'etcd-operator', email: 'maintainers@example.invalid' }],
      provider: { name: 'etcd-operator' },
      installModes: ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'].map((type) => ({
        type,
        supported: type === 'AllNamespaces',
      })),
      customresourcedefinitions: {
        owned: kinds.map(({ resource }) => ({
          name: `${resource.plural}.${resource.group}`,
          version: resource.version,
          kind: resource.kind,
          displayName: displayName(resource.kind),
          description: kindWords(resource.kind),
        })),
      },
      install: {
        strategy: 'deployment',
        spec: {
          permissions: [{ ...rights, rules: policyRules(programs, ['own']) }],
          clusterPermissions: [
            { ...rights, rules: policyRules(programs, ['watched', 'secrets', 'cluster', 'everywhere']) },
          ],
          deployments: [{ name, spec }],
        },
      },
    },
  };
}

const description = `Declare an EtcdCluster, and the operator bootstraps it, scales it, replaces members that fail, upgrades
it from minor to minor, and backs it up to S3, Azure Blob, Google Cloud Storage, OSS or a directory with EtcdBackup. EtcdRestore brings it
back. It takes over from CoreOS etcd-operator: same API group, running clusters are adopted without a restart.
`;

const apiVersion = 'etcd.database.coreos.com/v1beta2';
const examples: readonly object[] = [
  { apiVersion, kind: 'EtcdCluster', metadata: { name: 'example' }, spec: { size: 3, version: '3.6.16' } },
  {
    apiVersion,
    kind: 'EtcdBackup',
    metadata: { name: 'example' },
    spec: {
      clusterRef: { name: 'example' },
      storageType: 'S3',
      s3: { path: 'my-bucket/example.backup', awsSecret: 'aws' },
    },
  },
  {
    apiVersion,
    kind: 'EtcdRestore',
    metadata: { name: 'example' },
    spec: {
      etcdCluster: { name: 'example' },
      backupStorageType: 'S3',
      s3: { path: 'my-bucket/example.backup', awsSecret: 'aws' },
    },
  },
];
