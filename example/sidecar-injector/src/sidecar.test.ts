// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { readSidecar, SidecarError } from './sidecar.ts';

const read = (config: string) => readSidecar('default', { data: { config } });

describe('the ConfigMap', () => {
  test('holds containers and volumes', () => {
    const config = 'containers: [{ name: envoy, image: envoy }]\nvolumes: [{ name: conf, emptyDir: {} }]';
    expect(read(config)).toEqual({
      containers: [{ name: 'envoy', image: 'envoy' }],
      volumes: [{ name: 'conf', emptyDir: {} }],
    });
  });

  test('may leave either of them out', () => {
    expect(read('containers: [{ name: envoy }]').volumes).toEqual([]);
    expect(read('volumes: [{ name: conf }]').containers).toEqual([]);
  });

  test.each([
    ['', 'must hold containers and volumes in its config'],
    ['- a', 'must hold containers and volumes in its config'],
    ['containers: [', 'is not YAML in its config: Flow sequence in block collection must be sufficiently indented'],
    ['containers: { name: envoy }', 'must hold a list as containers'],
    ['containers: [{ image: envoy }]', 'has no name in containers[0]'],
    ['volumes: [{ name: conf }, 7]', 'has no name in volumes[1]'],
    ['container: []', 'has "container" in its config: only containers and volumes are known'],
  ])('with the text %j is refused in words', (config, message) => {
    expect(() => read(config)).toThrow(`ConfigMap default/envoy-initializer ${message}`);
  });

  test('that is missing, or lacks its key, is named', () => {
    const missing = new SidecarError('default/envoy-initializer', 'does not exist');
    expect(() => readSidecar('default', undefined)).toThrow(missing);
    expect(() => readSidecar('default', { data: {} })).toThrow('has no key "config"');
  });
});
