// SPDX-License-Identifier: Apache-2.0
/**
 * The sidecar example, typed into the shell of a playground: its README's lines, and the tutorials' own ConfigMap and
 * Pod.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf } from '@etcd-operator/tools/markdown';
import { expect, test } from 'vitest';
import { startTyping } from './testing/typed.ts';

const folder = join(import.meta.dirname, '../../../example/sidecar-injector');

/** The lines to type in a section of the README. */
function linesOf(section: string): readonly string[] {
  return blocksOf(join(folder, 'README.md'))
    .filter((block) => block.section === section && block.language === 'sh')
    .flatMap(({ content }) => content.split('\n'));
}

test('the injector runs from the image that the playground has, and the ConfigMap and the Pod of the tutorials work as printed', async () => {
  await using terminal = startTyping(['--empty']);
  const { playground, sees } = terminal;
  const type = (line: string) => terminal.type(`cd example/sidecar-injector && ${line}`);
  await playground.says(/export KUBECONFIG/);
  await type('kubectl apply -f deploy/rbac.yaml -f deploy/deployment.yaml -f deploy/webhook.yaml');
  expect(await type('kubectl rollout status deployment/sidecar-injector')).toContain('successfully rolled out');

  const [config = '', label = '', create = '', show = '', envoy = ''] = linesOf('As the tutorials have it');
  expect(await type(config)).toBe('configmap/envoy-initializer created\n');
  expect(await type(label)).toBe('namespace/default labeled\n');
  expect(await type(create)).toBe('pod/myapp-pod created\n');
  const pod = await type(show);
  expect(pod).toContain('name: myapp-container');
  expect(pod).toMatch(
    /args:\n {4}- --concurrency 4\n {4}- --config-path \/etc\/envoy\/envoy\.json\n {4}- --mode serve\n {4}command:\n {4}- \/usr\/local\/bin\/envoy\n {4}image: lyft\/envoy:845747db88f102c0fd262ab234308e9e22f693a1/,
  );
  expect(pod).toMatch(/- configMap:\n {6}defaultMode: 420\n {6}name: envoy\n {4}name: envoy-conf/);
  expect(await type(envoy)).toBe('configmap/envoy created\n');
  await sees('kubectl get pod myapp-pod', /myapp-pod +2\/2 +Running/);
  expect(await type('kubectl logs myapp-pod -c myapp-container')).toBe('Hello Kubernetes!\n');
  expect(await type('kubectl logs myapp-pod -c envoy')).toContain(
    '--concurrency 4 --config-path /etc/envoy/envoy.json',
  );
}, 300_000);

test('the files of the example are what the tutorials print', () => {
  const config = readFileSync(join(folder, 'example/tutorial-envoy-initializer.yaml'), 'utf8');
  expect(config).toContain('image: lyft/envoy:845747db88f102c0fd262ab234308e9e22f693a1\n');
  expect(readFileSync(join(folder, 'example/tutorial-pod.yaml'), 'utf8')).not.toContain('annotations');
});
