// SPDX-License-Identifier: Apache-2.0
import type { GoRecipe, PartTable } from './recipe.ts';

/** Every version and every checksum of a real part stands here and nowhere else. */
export const partTable: PartTable = {
  'etcd@3.7': etcd('3.7.3', {
    server: 'h1:KcTZ/aEZrOiQe0/kdr7iYYcvyfbEoOwDOacHkz8xwZc=',
    etcdctl: 'h1:afjzE22RBDqciPNGDNExe2/kWfJAZsOskZPefffTEDM=',
    etcdutl: 'h1:JwG6zadsUzBYihuZLn3IIfB2Mi+UX2d+aUybvcfunyk=',
  }),
  'etcd@3.6': etcd('3.6.16', {
    server: 'h1:sLkpvz3RFtiNd/yPrZBKz5kT+XO1ZJkhmuUJeqc7OmA=',
    etcdctl: 'h1:vxr4EySgAbHcd5OiYI/IwRnQmC4y5OmusSPLYxQ84/I=',
    etcdutl: 'h1:ghP1wTi/25g43jlrhOmPz0X4D0dXAYBt+nbhYicHcJ0=',
  }),
  'etcd@3.5': etcd('3.5.35', {
    server: 'h1:FbHzp+5uIf1hu9KDmM4G/i/SjzDpxAABlWF8v8ZMn88=',
    etcdctl: 'h1:D1m1+fyuzHWGMxP1TUMO1Qdrxvvk/KpD9Hrwdvekl60=',
    etcdutl: 'h1:pavOhppEzKB2cWej1RFcpHX/BnVlk+oMS/s/HHm6idc=',
  }),
};

function etcd(
  version: string,
  sums: { readonly server: string; readonly etcdctl: string; readonly etcdutl: string },
): GoRecipe {
  const modulePath = (name: string) => `go.etcd.io/etcd/${name}/v3`;
  return {
    kind: 'go',
    version,
    go: '1.26',
    bytesNeeded: 600e6,
    modules: Object.entries(sums).map(([name, sum]) => ({ path: modulePath(name), version: `v${version}`, sum })),
    programs: [
      {
        name: 'etcd',
        source: { package: modulePath('server') },
        verify: { args: ['--version'], prints: `etcd Version: ${version}\n` },
      },
      {
        name: 'etcdctl',
        source: { package: modulePath('etcdctl') },
        verify: { args: ['version'], prints: `etcdctl version: ${version}\n` },
      },
      {
        name: 'etcdutl',
        source: { package: modulePath('etcdutl') },
        verify: { args: ['version'], prints: `etcdutl version: ${version}\n` },
      },
    ],
  };
}
