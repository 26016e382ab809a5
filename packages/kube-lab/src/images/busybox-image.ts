// SPDX-License-Identifier: Apache-2.0
import type { Image, ImageEntry } from './image.ts';
import { createImage, type ImageSet } from './image-table.ts';

/** A program of the host with the libraries it needs: path inside an image -> path of the host. */
export interface ProgramFiles {
  readonly programs: Readonly<Record<string, string>>;
  readonly libraries: Readonly<Record<string, string>>;
}

/** The busybox commands that scripts in pods use. */
const applets =
  'ash awk base64 basename cat chmod chown cmp cp cut date dd df diff dirname dmesg du echo env expr false find free ' +
  'grep gunzip gzip head hexdump hostname id ifconfig ip kill killall less ln ls md5sum mkdir mkfifo mktemp more mount ' +
  'mv nc netstat nice nslookup od paste pgrep ping pkill printenv printf ps pwd readlink realpath rm rmdir route sed seq ' +
  'sh sha256sum sleep sort stat stty sync tail tar tee telnet test time timeout top touch tr traceroute true tty umount ' +
  'uname uniq unlink uptime usleep vi watch wc wget which whoami xargs yes zcat';

/** The file tree of busybox: one program under many names. */
export function busyboxEntries(busybox: ProgramFiles): readonly ImageEntry[] {
  const program = busybox.programs['busybox'];
  if (!program) throw new TypeError('no program busybox among the given files');
  return [
    { kind: 'bind', path: '/bin/busybox', source: program },
    ...Object.entries(busybox.libraries).map(([path, source]) => ({ kind: 'bind', path, source }) as const),
    ...applets.split(' ').map((name) => ({ kind: 'link', path: `/bin/${name}`, target: 'busybox' }) as const),
    {
      kind: 'file',
      path: '/etc/passwd',
      text: 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/home:/bin/false\n',
    },
    { kind: 'file', path: '/etc/group', text: 'root:x:0:\nnogroup:x:65534:\n' },
  ];
}

/** `busybox` with any tag. */
export function busyboxImages(busybox: ProgramFiles): ImageSet {
  const image: Image = createImage({
    files: { entries: busyboxEntries(busybox) },
    entrypoint: [],
    cmd: ['sh'],
    env: {},
  });
  return {
    repositories: ['busybox', 'gcr.io/google-containers/busybox', 'registry.k8s.io/busybox'],
    tags: { '*': image },
  };
}
