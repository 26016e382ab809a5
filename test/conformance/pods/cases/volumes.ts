// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { container, once, type PodSubject, shell } from '../pod-trial.ts';

const at = (mountPath: string, more: object = {}) => ({ volumeMounts: [{ name: 'v', mountPath, ...more }] });

/** Volumes of a Pod. */
export const podVolumes: PodSubject = {
  name: 'volumes of a Pod',
  cases: {
    'containers share an empty folder that every user may write': async (t) => {
      const containers = [
        shell('echo hello > /a/file', { name: 'a', ...at('/a') }),
        shell('while [ ! -s /b/file ]; do sleep 0.1; done; cat /b/file; stat -c %a /b', { name: 'b', ...at('/b') }),
      ];
      const pod = await t.start({ restartPolicy: 'Never', containers, volumes: [{ name: 'v', emptyDir: {} }] });
      expect((await pod.ended()).phase).toBe('Succeeded');
      expect(await pod.log('container=b')).toBe('hello\n777\n');
    },
    'an empty folder outlives its containers, their own files do not': async (t) => {
      const script =
        'ls /v /own 2>/dev/null; mkdir -p /own; touch /own/mine; [ -e /v/kept ] && exit 0; touch /v/kept; exit 1';
      const pod = await t.start({
        restartPolicy: 'OnFailure',
        containers: [shell(script, at('/v'))],
        volumes: [{ name: 'v', emptyDir: {} }],
      });
      const status = await pod.ended();
      expect(container(status)?.restartCount).toBe(1);
      expect(await pod.log()).toBe('/v:\nkept\n');
    },
    'a folder can be in memory': async (t) => {
      const out = await t.output('grep " /v " /proc/mounts | cut -d" " -f3', at('/v'), {
        volumes: [{ name: 'v', emptyDir: { medium: 'Memory' } }],
      });
      expect(out).toBe('tmpfs\n');
    },
    'the keys of a ConfigMap are files, behind links that change all at once': async (t) => {
      const ns = await t.podNamespace();
      const body = { metadata: { name: 'm' }, data: { a: 'one', b: 'two\n' } };
      await t.make(`/api/v1/namespaces/${ns}/configmaps`, body);
      const volumes = [{ name: 'v', configMap: { name: 'm' } }];
      const script = 'ls /v; cat /v/a /v/b; readlink /v/a; readlink /v/..data | cut -c1-4; stat -L -c %a /v/a';
      expect(await t.output(script, at('/v'), { volumes }, { ns })).toBe('a\nb\nonetwo\n..data/a\n..20\n644\n');
    },
    'chosen keys get chosen paths and rights': async (t) => {
      const ns = await t.podNamespace();
      await t.make(`/api/v1/namespaces/${ns}/secrets`, { metadata: { name: 's' }, stringData: { a: '1', b: '2' } });
      const items = [{ key: 'b', path: 'deep/file', mode: 0o400 }];
      const volumes = [{ name: 'v', secret: { secretName: 's', items } }];
      const script = 'find /v/ -follow -type f | grep -v "/\\.\\." ; cat /v/deep/file; stat -L -c " %a" /v/deep/file';
      expect(await t.output(script, at('/v'), { volumes }, { ns })).toBe('/v/deep/file\n2 400\n');
    },
    'a Secret is in memory and the container cannot write to it': async (t) => {
      const ns = await t.podNamespace();
      await t.make(`/api/v1/namespaces/${ns}/secrets`, { metadata: { name: 's' }, stringData: { a: '1' } });
      const volumes = [{ name: 'v', secret: { secretName: 's' } }];
      const script = 'grep " /v " /proc/mounts | cut -d" " -f3; touch /v/x 2>&1';
      expect(await t.output(`${script}; exit 0`, at('/v', { readOnly: true }), { volumes }, { ns })).toBe(
        'tmpfs\ntouch: /v/x: Read-only file system\n',
      );
    },
    'a Pod can read its own labels and annotations': async (t) => {
      const item = (path: string, fieldPath: string) => ({ path, fieldRef: { fieldPath } });
      const items = [
        item('labels', 'metadata.labels'),
        item('notes', 'metadata.annotations'),
        item('name', 'metadata.name'),
      ];
      const volumes = [{ name: 'v', downwardAPI: { items } }];
      const metadata = { labels: { b: '2', a: '1' }, annotations: { note: 'with "quotes"' } };
      const out = await t.output(
        'cat /v/labels; echo; grep note= /v/notes; cat /v/name',
        at('/v'),
        { volumes },
        metadata,
      );
      expect(out).toBe('a="1"\nb="2"\nnote="with \\"quotes\\""\np');
    },
    'a token, the authority and the namespace are there unless refused': async (t) => {
      const folder = '/var/run/secrets/kubernetes.io/serviceaccount';
      const script = `ls ${folder}; cat ${folder}/namespace; echo; head -1 ${folder}/ca.crt; cut -d. -f1 ${folder}/token | wc -w`;
      const ns = await t.podNamespace();
      const authority = { metadata: { name: 'kube-root-ca.crt' }, data: { 'ca.crt': '-----BEGIN CERTIFICATE-----\n' } };
      await t.post(`/api/v1/namespaces/${ns}/configmaps`, authority);
      const pod = await t.start({ ...once(script), automountServiceAccountToken: true }, { ns });
      await pod.ended();
      expect(await pod.log()).toBe(`ca.crt\nnamespace\ntoken\n${ns}\n-----BEGIN CERTIFICATE-----\n1\n`);
    },
    'several sources can be one folder': async (t) => {
      const ns = await t.podNamespace();
      await t.make(`/api/v1/namespaces/${ns}/secrets`, { metadata: { name: 's' }, stringData: { a: 'secret' } });
      await t.make(`/api/v1/namespaces/${ns}/configmaps`, { metadata: { name: 'm' }, data: { b: 'config' } });
      const sources = [
        { secret: { name: 's' } },
        { configMap: { name: 'm', items: [{ key: 'b', path: 'c/b' }] } },
        { downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
      ];
      const volumes = [{ name: 'v', projected: { sources } }];
      expect(await t.output('cat /v/a /v/c/b /v/name', at('/v'), { volumes }, { ns })).toBe('secretconfigp');
    },
    'one file of a volume can be mounted alone': async (t) => {
      const ns = await t.podNamespace();
      await t.make(`/api/v1/namespaces/${ns}/configmaps`, { metadata: { name: 'm' }, data: { a: 'one', b: 'two' } });
      const volumes = [{ name: 'v', configMap: { name: 'm' } }];
      const out = await t.output('cat /etc/a; ls /etc/b 2>&1', at('/etc/a', { subPath: 'a' }), { volumes }, { ns });
      expect(out).toBe('onels: /etc/b: No such file or directory\n');
    },
    'a volume can be writable in one place and not in another': async (t) => {
      const volumeMounts = [
        { name: 'v', mountPath: '/rw' },
        { name: 'v', mountPath: '/ro', readOnly: true },
      ];
      const out = await t.output(
        'echo x > /rw/f; cat /ro/f; touch /ro/g 2>&1; exit 0',
        { volumeMounts },
        { volumes: [{ name: 'v', emptyDir: {} }] },
      );
      expect(out).toBe('x\ntouch: /ro/g: Read-only file system\n');
    },
    'a group can own the files of a Pod': async (t) => {
      const script = 'touch /v/f; stat -c %g /v /v/f';
      const out = await t.output(script, at('/v'), {
        securityContext: { fsGroup: 2000, runAsUser: 1000 },
        volumes: [{ name: 'v', emptyDir: {} }],
      });
      expect(out).toBe('2000\n2000\n');
    },
    'what is mounted is told in the status': async (t) => {
      const pod = await t.start({
        ...once('true', at('/v', { readOnly: true })),
        volumes: [{ name: 'v', emptyDir: {} }],
      });
      expect(container(await pod.ended())?.volumeMounts).toEqual([
        { name: 'v', mountPath: '/v', readOnly: true, recursiveReadOnly: 'Disabled' },
      ]);
    },
  },
};
