// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { busyboxImages } from './busybox-image.ts';
import { etcdImages } from './etcd-images.ts';
import { nodeImage, nodeProgramsImage } from './host-image.ts';
import { imageReferenceText, parseImageReference } from './image-reference.ts';
import { createImage, createImageTable } from './image-table.ts';

const digest = `sha256:${'a'.repeat(64)}`;

describe('an image reference', () => {
  test.each([
    ['busybox', 'docker.io/library/busybox', 'latest'],
    ['busybox:1.28.0-glibc', 'docker.io/library/busybox', '1.28.0-glibc'],
    ['library/busybox', 'docker.io/library/busybox', 'latest'],
    ['quay.io/coreos/etcd:v3.6.16', 'quay.io/coreos/etcd', 'v3.6.16'],
    ['localhost/x', 'localhost/x', 'latest'],
    ['localhost:5000/a/b:v1', 'localhost:5000/a/b', 'v1'],
    ['gcr.io/etcd-development/etcd:v3.5.35', 'gcr.io/etcd-development/etcd', 'v3.5.35'],
  ])('%s means %s with tag %s', (text, repository, tag) => {
    expect(parseImageReference(text)).toEqual({ repository, tag });
  });

  test('may have a digest, with or without a tag', () => {
    expect(parseImageReference(`x/y@${digest}`)).toEqual({ repository: 'docker.io/x/y', tag: '', digest });
    expect(parseImageReference(`x/y:v1@${digest}`)).toEqual({ repository: 'docker.io/x/y', tag: 'v1', digest });
  });

  test.each(['', 'UPPER', 'a b', 'a//b', 'a/', ':tag', 'x@sha256:short', 'a:b:c'])('"%s" is none', (text) => {
    expect(parseImageReference(text)).toBeUndefined();
  });

  test('is written as a status shows it', () => {
    const text = (reference: string) => {
      const parsed = parseImageReference(reference);
      return parsed && imageReferenceText(parsed);
    };
    expect(text('busybox')).toBe('docker.io/library/busybox:latest');
    expect(text(`x/y:v1@${digest}`)).toBe(`docker.io/x/y:v1@${digest}`);
  });
});

describe('an image table', () => {
  const image = (cmd: string) => createImage({ files: { entries: [] }, entrypoint: [], cmd: [cmd], env: {} });
  const find = (table: ReturnType<typeof createImageTable>, text: string) => {
    const reference = parseImageReference(text);
    return reference && table.find(reference);
  };

  test('finds images by tag, by digest, and by any tag', () => {
    const [one, every] = [image('one'), image('any')];
    const table = createImageTable([
      { repositories: ['app'], tags: { v1: one } },
      { repositories: ['tool', 'quay.io/tool'], tags: { '*': every } },
    ]);
    expect(find(table, 'app:v1')).toBe(one);
    expect(find(table, 'app:v2')).toBeUndefined();
    expect(find(table, `app@${one.digest}`)).toBe(one);
    expect(find(table, 'quay.io/tool:whatever')).toBe(every);
    expect(find(table, 'other')).toBeUndefined();
  });

  test('gives the same parts the same digest', () => {
    expect(image('x').digest).toBe(image('x').digest);
    expect(image('x').digest).not.toBe(image('y').digest);
    expect(image('x').digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  });
});

describe('the images of etcd', () => {
  const files = (version: string) => ({
    version,
    programs: { etcd: `/bin/etcd-${version}` },
    libraries: { '/lib/libc.so.6': '/x' },
  });
  const busybox = { programs: { busybox: '/bin/busybox' }, libraries: { '/lib/libc.so.6': '/y' } };
  const paths = (text: string) => {
    const table = createImageTable([etcdImages([files('3.4.23'), files('3.6.16')], busybox), busyboxImages(busybox)]);
    const reference = parseImageReference(text);
    return reference && table.find(reference)?.files.entries.map(({ path }) => path);
  };

  test('are found in both repositories, with a shell up to 3.4 or on request', () => {
    expect(paths('quay.io/coreos/etcd:v3.4.23')).toContain('/bin/sh');
    expect(paths('gcr.io/etcd-development/etcd:v3.6.16')).not.toContain('/bin/sh');
    expect(paths('quay.io/coreos/etcd:v3.6.16-shell')).toContain('/bin/sh');
    expect(paths('quay.io/coreos/etcd:v3.6.99')).toBeUndefined();
    expect(paths('busybox:1.28.0-glibc')).toContain('/bin/nslookup');
  });

  test('have each file once: libraries of etcd win over those of the shell', () => {
    const all = paths('quay.io/coreos/etcd:v3.4.23') ?? [];
    expect(all.filter((path) => path === '/lib/libc.so.6')).toHaveLength(1);
  });
});

test('a Node image runs with this very Node and sees only what it is given', () => {
  const { entrypoint, files } = nodeImage({ directories: ['/tmp'], argv: ['/tmp/x.ts'] });
  expect(entrypoint).toEqual([process.execPath, '/tmp/x.ts']);
  const paths = files.entries.map(({ path }) => path);
  expect(paths).toContain('/tmp');
  expect(paths).not.toContain('/home');
  expect(paths).not.toContain('/etc/shadow');
});

test('an image of programs has each where a real one would have it, started by this very Node', () => {
  const { files, env } = nodeProgramsImage({ programs: { tool: '/src/tool.ts' }, directories: [import.meta.dirname] });
  expect(files.entries).toContainEqual({
    kind: 'file',
    path: '/usr/local/bin/tool',
    text: '#!/usr/local/bin/node\nimport("file:///src/tool.ts");\n',
    executable: true,
  });
  expect(files.entries).toContainEqual({ kind: 'bind', path: '/usr/local/bin/node', source: process.execPath });
  expect(env['PATH']).toContain('/usr/local/bin');
});
