// SPDX-License-Identifier: Apache-2.0
import type { DebianPackage, DebianRecipe, NpmRecipe, PartTable } from './recipes/recipe.ts';

/** The parts that only `npm run release` and its tests need. */
export const releaseParts: PartTable = {
  'node-libraries-amd64': nodeLibraries(
    pool([
      'g/glibc/libc6_2.36-9+deb12u14_amd64 ba4f88f73dbc3ae9055f3c20f4523bfdbaf1ad13ff95e258924f77d20b4fbedf',
      'g/gcc-12/libstdc++6_12.2.0-14+deb12u1_amd64 5cd3171216d4ab0fc911cfe9c35509bf2dd8f47761c43b7f6a4296701551a24d',
      'g/gcc-12/libgcc-s1_12.2.0-14+deb12u1_amd64 3016e62cb4b7cd8038822870601f5ed131befe942774d0f745622cc77d8a88f7',
    ]),
    { loader: '/lib64/ld-linux-x86-64.so.2', folder: 'x86_64-linux-gnu' },
  ),
  'node-libraries-arm64': nodeLibraries(
    pool([
      'g/glibc/libc6_2.36-9+deb12u14_arm64 01f4330719fd4f65580e16ea5a0527f372fca750e8f588d26deaf09f2d3b1cf4',
      'g/gcc-12/libstdc++6_12.2.0-14+deb12u1_arm64 26e138c677a985775331373828a6c286c551ff397cb735d00e2383cb273d1cb2',
      'g/gcc-12/libgcc-s1_12.2.0-14+deb12u1_arm64 576926b283613db80168ddf76380a3bd877602778cf0d226caa7bfbfa71eacf3',
    ]),
    { loader: '/lib/ld-linux-aarch64.so.1', folder: 'aarch64-linux-gnu' },
  ),
  // Runs programs of the other architecture, one at a time and without root.
  'qemu-user': {
    kind: 'debian',
    version: '7.2.22',
    bytesNeeded: 500e6,
    packages: {
      amd64: pool([
        'q/qemu/qemu-user-static_7.2+dfsg-7+deb12u18+b3_amd64 c3e3ba2bd87f8c5b9a5da5ef21b5a3b82d7c63b89dd448d9ddaa4eabc5b6e402',
      ]),
      arm64: pool([
        'q/qemu/qemu-user-static_7.2+dfsg-7+deb12u18+b3_arm64 e420c417c12b42ca774795b62888d5388da0e08c1ef263dea1490e5ce4e32a0b',
      ]),
    },
    programs: ['qemu-aarch64-static', 'qemu-x86_64-static'].map((name) => ({
      name,
      path: `/usr/bin/${name}`,
      verify: { args: ['--version'], prints: 'version 7.2.22 ' },
    })),
  },
  // OperatorHub's checker for bundles.
  'operator-verify': {
    kind: 'go',
    version: '0.45.0',
    go: '1.26',
    bytesNeeded: 800e6,
    modules: [
      {
        path: 'github.com/operator-framework/api',
        version: 'v0.45.0',
        sum: 'h1:hkROwtsLH3oszp4IW+WsXEFSDgveSahHI7DKStOtrUI=',
      },
    ],
    programs: [
      {
        name: 'operator-verify',
        source: { package: 'github.com/operator-framework/api/cmd/operator-verify' },
        // It cannot print a version.
        verify: { args: ['--help'], prints: 'operator-verify' },
      },
    ],
  },
  attw: fromNpm('@arethetypeswrong/cli', '0.18.5', {
    name: 'attw',
    lockfile: '37ffc8e16a57a228d95baef45049f5835bc11bd3ad2733f9007c98c9a694d52d',
  }),
  publint: fromNpm('publint', '0.3.25', {
    name: 'publint',
    lockfile: '8052108723c26baa7de9426610101214071e2b392925b33bec8603a5b5ee7c75',
  }),
  typedoc: fromNpm('typedoc', '0.28.20', {
    name: 'typedoc',
    lockfile: '2486ac0f2248b89094dbc34c2b7007fbddc236b0dbc401d042c6a0c9efa17961',
  }),
};

/** The loader and the libraries of Node, the same on all machines of one architecture. */
function nodeLibraries(
  packages: readonly DebianPackage[],
  { loader, folder }: { readonly loader: string; readonly folder: string },
): DebianRecipe {
  const names = ['libc.so.6', 'libm.so.6', 'libdl.so.2', 'libpthread.so.0', 'libgcc_s.so.1'];
  const named = ['libnss_dns.so.2', 'libnss_files.so.2', 'libresolv.so.2'];
  const paths = [
    loader,
    ...[...names, ...named].map((name) => `/lib/${folder}/${name}`),
    `/usr/lib/${folder}/libstdc++.so.6`,
  ];
  return {
    kind: 'debian',
    version: '12.2.0',
    bytesNeeded: 60e6,
    packages: { amd64: packages, arm64: packages },
    programs: [],
    libraries: { amd64: paths, arm64: paths },
  };
}

function fromNpm(
  name: string,
  version: string,
  program: { readonly name: string; readonly lockfile: string },
): NpmRecipe {
  return {
    kind: 'npm',
    version,
    bytesNeeded: 200e6,
    package: name,
    lockfile: { path: `locks/${program.name}/package-lock.json`, sha256: program.lockfile },
    programs: [{ name: program.name, verify: { args: ['--version'], prints: version } }],
  };
}

/** Package files in the main area of a Debian archive, each as its path and its SHA-256. */
export function pool(files: readonly `${string} ${string}`[]): readonly DebianPackage[] {
  return files.map((file) => {
    const [path = '', sha256 = ''] = file.split(' ');
    return { path: `pool/main/${path}.deb`, sha256 };
  });
}
