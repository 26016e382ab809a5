// SPDX-License-Identifier: Apache-2.0
import { kubernetesParts } from './kubernetes-parts.ts';
import { prometheusOperatorTypes } from './prometheus-operator-types.ts';
import type { DebianRecipe, GoModule, GoProgram, GoRecipe, PartTable } from './recipes/recipe.ts';
import { pool, releaseParts } from './release-parts.ts';

/** On other architectures than amd64, versions up to 3.4 run only with this variable. */
const unsupportedArch = { ETCD_UNSUPPORTED_ARCH: 'arm64' };

/**
 * Every version and every checksum of a part is here, in kubernetes-parts.ts or in release-parts.ts, and nowhere else.
 */
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
  'etcd@3.4': debianEtcd('3.4.23', ['libc.so.6', 'libresolv.so.2'], {
    amd64: pool([
      'e/etcd/etcd-server_3.4.23-4+b4_amd64 3a9445d4560ad6de1c375756b2a17d97713df44cbd20a658c871fe108af7ef5d',
      'e/etcd/etcd-client_3.4.23-4+b4_amd64 db3a484d5d924b50bf71f459ee544ecd7b11c25dc2f6becc0c50352d67299cc8',
      'g/glibc/libc6_2.36-9+deb12u14_amd64 ba4f88f73dbc3ae9055f3c20f4523bfdbaf1ad13ff95e258924f77d20b4fbedf',
    ]),
    arm64: pool([
      'e/etcd/etcd-server_3.4.23-4+b4_arm64 821e59be145fa42bd72b3e003d275640947c3d824b4c06b1ed2a01a631d555a1',
      'e/etcd/etcd-client_3.4.23-4+b4_arm64 3f1bcd6d47e2c9eaa274c5bb2f7b2ebc090226dc10dde00e13e32d0b03d137d7',
      'g/glibc/libc6_2.36-9+deb12u14_arm64 01f4330719fd4f65580e16ea5a0527f372fca750e8f588d26deaf09f2d3b1cf4',
    ]),
  }),
  // Has features that Debian's version lacks: a tool that raises revisions, /livez and /readyz.
  'etcd@3.4.31': singleModuleEtcd('3.4.31', {
    version: 'v0.5.0-alpha.5.0.20240320135013-950cd5fbe6ca',
    sum: 'h1:LCc0GAhfJ+qDqnUbE7ybQ0mTz1dNRn2iiM6e183p/5E=',
  }),
  'etcd@3.3': debianEtcd(
    '3.3.25',
    // This libc still needs separate libraries for name lookups.
    ['libc.so.6', 'libpthread.so.0', 'libdl.so.2', 'libnss_files.so.2', 'libnss_dns.so.2', 'libresolv.so.2'],
    {
      amd64: pool([
        'e/etcd/etcd-server_3.3.25+dfsg-6+b6_amd64 26ebaf2c5482e1ded1c7d9a65a47d06cdb9dc99d78aa3c280ee61bae39d4e44c',
        'e/etcd/etcd-client_3.3.25+dfsg-6+b6_amd64 df59b04f745046e77d27919bf50364b91a5dcacaa812fbcd946574f85b23fe1c',
        'g/glibc/libc6_2.31-13+deb11u11_amd64 05f7264da867b37f4c5ce49266b558ea1e81e05a9464f623152fca70f3550282',
      ]),
      arm64: pool([
        'e/etcd/etcd-server_3.3.25+dfsg-6+b6_arm64 57cc45dd41ff6b6f11cefbc251e1ed88133893737c3e176efac2e3cedd81d6e8',
        'e/etcd/etcd-client_3.3.25+dfsg-6+b6_arm64 2f1107bd169b1bd5d8e6b3183bbbbf6d0ff2800557375c65733b87aa8247daa0',
        'g/glibc/libc6_2.31-13+deb11u11_arm64 baaa9aa184e2f21738c5819055e6740cc5b22f198e3f416e33f82b40ff6933d8',
      ]),
    },
  ),
  ...kubernetesParts,
  busybox: {
    kind: 'debian',
    version: '1.35.0',
    bytesNeeded: 10e6,
    packages: {
      amd64: pool([
        'b/busybox/busybox-static_1.35.0-4+deb12u1+b1_amd64 3d3fdbe91d4660c873e14b092c213fe81c1da6362daa236eb25d0171eb108744',
      ]),
      arm64: pool([
        'b/busybox/busybox-static_1.35.0-4+deb12u1+b1_arm64 732c9135564fc71337e0e05fb4da4d11e6c28c1834bce3e405e575afef2a52f5',
      ]),
    },
    programs: [{ name: 'busybox', path: '/bin/busybox', verify: { args: [], prints: 'BusyBox v1.35.0 ' } }],
  },
  versitygw: {
    kind: 'go',
    version: '1.8.0',
    go: '1.26',
    bytesNeeded: 500e6,
    modules: [
      {
        path: 'github.com/versity/versitygw',
        version: 'v1.8.0',
        sum: 'h1:au+wI+aybno/STsQiSm35Uu6Q6iK5MWReQxgO6SEMFc=',
      },
    ],
    variables: { 'main.Version': 'v1.8.0' },
    programs: [
      {
        name: 'versitygw',
        source: { package: 'github.com/versity/versitygw/cmd/versitygw' },
        verify: { args: ['--version'], prints: 'v1.8.0' },
      },
    ],
  },
  'fake-gcs-server': {
    kind: 'go',
    version: '1.56.1',
    go: '1.26',
    bytesNeeded: 500e6,
    modules: [
      {
        path: 'github.com/fsouza/fake-gcs-server',
        version: 'v1.56.1',
        sum: 'h1:K03sAvbLvDz4hAynpCCUqnNRp+ik9JFSvHbkD/wTPOU=',
      },
    ],
    programs: [
      {
        name: 'fake-gcs-server',
        source: { package: 'github.com/fsouza/fake-gcs-server' },
        // It cannot print a version.
        verify: { args: ['-h'], prints: '-public-host' },
      },
    ],
  },
  azurite: {
    kind: 'npm',
    version: '3.37.0',
    bytesNeeded: 600e6,
    package: 'azurite',
    lockfile: {
      path: 'azurite/package-lock.json',
      sha256: '99d61fd2be02df823a1f6a8f675013e339002591a827d1fcae6a3ee58328caa6',
    },
    programs: [{ name: 'azurite-blob', verify: { args: ['--version'], prints: '3.37.0' } }],
  },
  containerd: containerd('2.4.2', 'h1:p6Qg+xbEz8lvwdhHDx0U469xENvp4LgGBx+E7djXkGw='),
  coredns: coredns('1.15.0', 'h1:OBT+OEyHVdUiVxPhrNlC5XZVq3RkSxzQXfZQ76gm5ck='),
  kstatus: kstatus('0.37.2', 'h1:GOfKw5RV2HDQZDJlru5KkfLO1tbxqMoyn1IYUxqBpNg='),
  // Ways to find targets are most of its weight: promtool alone has none, the server that of Kubernetes.
  promtool: prometheus(['promtool'], ['remove_all_sd']),
  prometheus: prometheus(['prometheus', 'promtool'], ['remove_all_sd', 'enable_kubernetes_sd']),
  'prometheus-operator-types': prometheusOperatorTypes('0.94.1', 'h1:TWZqERWd1r20mHm6rCahhWuCaDq4PQFHgzQifOpFsc0='),
  // The Lua that Argo CD runs health scripts with.
  'gopher-lua': {
    kind: 'go',
    version: '1.1.1',
    go: '1.26',
    bytesNeeded: 300e6,
    modules: [
      {
        path: 'github.com/yuin/gopher-lua',
        version: 'v1.1.1',
        sum: 'h1:kYKnWBjvbNP4XLT3+bPEwAXJx262OhaHDWDVOPjL46M=',
      },
    ],
    programs: [
      {
        name: 'glua',
        source: { package: 'github.com/yuin/gopher-lua/cmd/glua' },
        verify: { args: ['-v'], prints: 'GopherLua' },
      },
    ],
  },
  helm: {
    kind: 'go',
    version: '4.3.1',
    go: '1.26',
    bytesNeeded: 800e6,
    modules: [{ path: 'helm.sh/helm/v4', version: 'v4.3.1', sum: 'h1:UndCoLe9UPmNoL7IvWzaUXveL7T5t/ijoorEmgJdI9g=' }],
    variables: { 'helm.sh/helm/v4/internal/version.version': 'v4.3.1' },
    programs: [
      {
        name: 'helm',
        source: { package: 'helm.sh/helm/v4/cmd/helm' },
        verify: { args: ['version', '--short'], prints: 'v4.3.1' },
      },
    ],
  },
  ...releaseParts,
};

function etcd(version: string, sums: Readonly<Record<'server' | 'etcdctl' | 'etcdutl', string>>): GoRecipe {
  const modulePath = (name: string) => `go.etcd.io/etcd/${name}/v3`;
  const program = (name: string, module: string, argument: string, prints: string): GoProgram => ({
    name,
    source: { package: modulePath(module) },
    verify: { args: [argument], prints: `${prints}: ${version}\n` },
  });
  return {
    kind: 'go',
    version,
    go: '1.26',
    bytesNeeded: 600e6,
    mayComeFromPath: true,
    modules: Object.entries(sums).map(([name, sum]) => ({ path: modulePath(name), version: `v${version}`, sum })),
    programs: [
      program('etcd', 'server', '--version', 'etcd Version'),
      program('etcdctl', 'etcdctl', 'version', 'etcdctl version'),
      program('etcdutl', 'etcdutl', 'version', 'etcdutl version'),
    ],
  };
}

/** etcd up to 3.4 is one Go module without versions for its releases: the release's commit is used instead. */
function singleModuleEtcd(version: string, module: Omit<GoModule, 'path'>): GoRecipe {
  const path = 'go.etcd.io/etcd';
  return {
    kind: 'go',
    version,
    go: '1.26',
    bytesNeeded: 600e6,
    modules: [{ path, ...module }],
    programs: [
      {
        name: 'etcd',
        source: { package: path },
        verify: { args: ['--version'], prints: `etcd Version: ${version}\n`, environment: unsupportedArch },
      },
      {
        name: 'etcdctl',
        source: { package: `${path}/etcdctl` },
        verify: { args: ['version'], prints: `etcdctl version: ${version}\n`, environment: { ETCDCTL_API: '3' } },
      },
    ],
  };
}

/** Debian's etcd, dynamically linked, with the loader and the libraries of the same release. */
function debianEtcd(version: string, libraries: readonly string[], packages: DebianRecipe['packages']): DebianRecipe {
  return {
    kind: 'debian',
    version,
    bytesNeeded: 120e6,
    packages,
    programs: [
      {
        name: 'etcd',
        path: '/usr/bin/etcd',
        verify: { args: ['--version'], prints: `etcd Version: ${version}`, environment: unsupportedArch },
      },
      {
        name: 'etcdctl',
        path: '/usr/bin/etcdctl',
        verify: { args: ['version'], prints: `etcdctl version: ${version}`, environment: { ETCDCTL_API: '3' } },
      },
    ],
    libraries: {
      amd64: ['/lib64/ld-linux-x86-64.so.2', ...libraries.map((name) => `/lib/x86_64-linux-gnu/${name}`)],
      arm64: ['/lib/ld-linux-aarch64.so.1', ...libraries.map((name) => `/lib/aarch64-linux-gnu/${name}`)],
    },
  };
}

/** Without the snapshotters that need C libraries. */
function containerd(version: string, sum: string): GoRecipe {
  const path = 'github.com/containerd/containerd/v2';
  return {
    kind: 'go',
    version,
    go: '1.26',
    bytesNeeded: 1e9,
    modules: [{ path, version: `v${version}`, sum }],
    tags: ['no_btrfs', 'no_devmapper', 'no_zfs'],
    variables: { [`${path}/version.Version`]: `v${version}` },
    programs: ['containerd', 'containerd-shim-runc-v2', 'ctr'].map((name) => ({
      name,
      source: { package: `${path}/cmd/${name}` },
      verify: { args: [name === 'containerd-shim-runc-v2' ? '-v' : '--version'], prints: `v${version}` },
    })),
  };
}

/** The server without its pages, which are built by other tools. */
function prometheus(programs: readonly string[], tags: readonly string[]): GoRecipe {
  const module = 'github.com/prometheus/prometheus';
  return {
    kind: 'go',
    version: '3.15.0',
    go: '1.26',
    bytesNeeded: 2e9,
    modules: [{ path: module, version: 'v0.315.0', sum: 'h1:sFGZWmC2Hk9N1NBJGCnXYZb5hyLCq8yuAMoEjLAg6ac=' }],
    tags,
    variables: { 'github.com/prometheus/common/version.Version': '3.15.0' },
    programs: programs.map((name) => ({
      name,
      source: { package: `${module}/cmd/${name}` },
      verify: { args: ['--version'], prints: 'version 3.15.0' },
    })),
  };
}

/** With the plugins that a cluster's DNS needs and no others, which builds in a fraction of the time. */
function coredns(version: string, sum: string): GoRecipe {
  const path = 'github.com/coredns/coredns';
  const plugins = ['cache', 'errors', 'health', 'kubernetes', 'ready', 'reload'];
  const imports = [`${path}/coremain`, ...plugins.map((name) => `${path}/plugin/${name}`)];
  const [, ...blank] = imports.map((name) => `\t_ "${name}"\n`);
  return {
    kind: 'go',
    version,
    go: '1.26',
    bytesNeeded: 800e6,
    modules: [{ path, version: `v${version}`, sum }],
    programs: [
      {
        name: 'coredns',
        source: {
          main: `package main\n\nimport (\n\t"${path}/coremain"\n${blank.join('')})\n\nfunc main() {\n\tcoremain.Run()\n}\n`,
          imports,
        },
        verify: { args: ['-version'], prints: `CoreDNS-${version}` },
      },
    ],
  };
}

/** The library with which Flux and kpt compute an object's status, in a program that reads objects as lines of JSON. */
function kstatus(version: string, sum: string): GoRecipe {
  const path = 'sigs.k8s.io/cli-utils';
  const library = `${path}/pkg/kstatus/status`;
  const unstructured = 'k8s.io/apimachinery/pkg/apis/meta/v1/unstructured';
  const main = `package main

import (
	"bufio"
	"fmt"
	"os"

	"${unstructured}"
	"${library}"
)

func main() {
	if len(os.Args) > 1 {
		fmt.Println("kstatus ${version}")
		return
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON(lines.Bytes()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		result, err := status.Compute(object)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(result.Status)
	}
}
`;
  return {
    kind: 'go',
    version,
    go: '1.26',
    bytesNeeded: 500e6,
    modules: [{ path, version: `v${version}`, sum }],
    programs: [
      {
        name: 'kstatus',
        source: { main, imports: [library] },
        verify: { args: ['--version'], prints: `kstatus ${version}` },
      },
    ],
  };
}
