// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { isPinnedImage, repositoryOf } from './image-reference.ts';

const digest = `sha256:${'a'.repeat(64)}`;

describe('an image with a tag or a digest', () => {
  test.each([
    ['etcd:v3.6.16', 'etcd'],
    [`etcd@${digest}`, 'etcd'],
    ['registry.example.com:5000/a/etcd:v3.6.16', 'registry.example.com:5000/a/etcd'],
    [`registry.example.com:5000/a/etcd@${digest}`, 'registry.example.com:5000/a/etcd'],
    [`registry.example.com/etcd:v3.6.16@${digest}`, 'registry.example.com/etcd'],
  ])('%s is of %s', (image, repository) => {
    expect(isPinnedImage(image)).toBe(true);
    expect(repositoryOf(image)).toBe(repository);
  });

  test.each([
    '',
    'etcd',
    'registry.example.com:5000/etcd',
    'etcd:',
    'etcd@sha256:short',
    `etcd@md5:${'a'.repeat(32)}`,
    '--privileged:v1',
    '../etcd:v1',
    'a b:v1',
    'etcd:v1\n',
    `${'a'.repeat(600)}:v1`,
  ])('%j is none', (image) => {
    expect(isPinnedImage(image)).toBe(false);
  });
});
