// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { fullRepository, isFrom } from './image-repository.ts';

describe('the repository of an image', () => {
  test.each([
    ['busybox', 'docker.io/library/busybox'],
    ['busybox:1.28.0-glibc', 'docker.io/library/busybox'],
    ['docker.io/busybox', 'docker.io/library/busybox'],
    ['index.docker.io/library/busybox', 'docker.io/library/busybox'],
    ['bitnami/etcd', 'docker.io/bitnami/etcd'],
    ['quay.io/coreos/etcd:v3.6.16', 'quay.io/coreos/etcd'],
    ['registry.example.com:5000/a/b:v1', 'registry.example.com:5000/a/b'],
    ['localhost/etcd', 'localhost/etcd'],
    [`quay.io/coreos/etcd:v1@sha256:${'a'.repeat(64)}`, 'quay.io/coreos/etcd'],
  ])('%s is %s', (image, repository) => {
    expect(fullRepository(image)).toBe(repository);
  });

  test.each([
    '',
    '/',
    'quay.io/',
    'quay.io//etcd',
    'quay.io/coreos/../evil',
    './etcd',
    'a b',
    '--privileged',
    'é/etcd',
  ])('%j has none', (image) => {
    expect(fullRepository(image)).toBeUndefined();
  });
});

describe('images that are from what is allowed', () => {
  test.each([
    ['quay.io/coreos/etcd:v3.6.16', 'quay.io/coreos/etcd'],
    ['quay.io/coreos/etcd:v3.6.16', 'quay.io/coreos'],
    ['quay.io/coreos/etcd:v3.6.16', 'quay.io/coreos/'],
    ['quay.io/coreos/etcd:v3.6.16', 'quay.io'],
    ['registry.example.com:5000/etcd', 'registry.example.com:5000'],
    ['busybox:1.36', 'busybox'],
    ['busybox:1.36', 'docker.io/library'],
    ['bitnami/etcd:3', 'docker.io/bitnami'],
    ['bitnami/etcd:3', 'index.docker.io'],
    ['docker.io/library/busybox', 'busybox'],
  ])('%s is below %s', (image, allowed) => {
    expect(isFrom(image, ['nowhere.example.com', allowed])).toBe(true);
  });

  test.each([
    ['quay.io/coreos-evil/etcd', 'quay.io/coreos'],
    ['quay.io/coreos/etcd-evil', 'quay.io/coreos/etcd'],
    ['quay.io.evil.example.com/coreos/etcd', 'quay.io'],
    ['evil.example.com/quay.io/coreos/etcd', 'quay.io/coreos'],
    ['quay.io:8443/coreos/etcd', 'quay.io'],
    ['quay.io/coreos/../evil/etcd', 'quay.io/coreos'],
    ['quay.io/coreos/etcd', 'quay.io/coreos/etcd/below'],
    ['evil/busybox', 'busybox'],
    ['', 'quay.io'],
  ])('%j is not below %s', (image, allowed) => {
    expect(isFrom(image, [allowed])).toBe(false);
  });
});
