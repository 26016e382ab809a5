// SPDX-License-Identifier: Apache-2.0

import { type EtcdCluster, memberPaths } from '@etcd-operator/operator';
import { clientPort } from '@operator-parts/etcd';
import { exec as execInPod, type Pod } from '@operator-parts/kube';
import { type Access, findCluster } from '../access.ts';
import { CliError } from '../cli-error.ts';
import { memberPods } from '../member-pods.ts';

/** Where a command runs in a cluster, and its output. */
export interface ExecAsked {
  readonly cluster: string | undefined;
  /**
   * In this member's pod, with only its endpoint.
   * @default in any pod that is Ready, with the endpoints of all members
   */
  readonly member: string | undefined;
  readonly command: readonly string[];
}

export interface Streams {
  readonly out: (bytes: Uint8Array) => void;
  readonly err: (bytes: Uint8Array) => void;
  readonly stdin?: AsyncIterable<Uint8Array> | undefined;
}

/**
 * Runs a command in the container of a member, and resolves with its exit status. etcdctl gets endpoints and
 * certificates.
 */
export async function exec(access: Access, asked: ExecAsked, streams: Streams): Promise<number> {
  const cluster = await findCluster(access, asked.cluster);
  const pods = await memberPods(access, cluster.metadata?.name ?? '');
  const pod = podFor(cluster, pods, asked.member);
  const name = pod.metadata?.name ?? '';
  const names =
    asked.member === undefined ? pods.filter(isRunning).map(({ metadata }) => metadata?.name ?? '') : [name];
  return execInPod(
    access.transport,
    { namespace: access.namespace, name },
    {
      container: 'etcd',
      command: withConnection(asked.command, cluster, names.toSorted()),
      // As they are: values of etcd need not be text.
      stdout: streams.out,
      stderr: streams.err,
      ...(streams.stdin && { stdin: streams.stdin }),
      signal: access.signal,
    },
  );
}

/** Adds etcdctl's flags for endpoints and credentials, unless they are given. Other programs are unchanged. */
export function withConnection(
  command: readonly string[],
  { metadata, spec }: EtcdCluster,
  members: readonly string[],
): readonly string[] {
  const [program = '', ...rest] = command;
  if (program !== 'etcdctl') return command;
  const isSecure = spec.TLS?.static?.member?.serverSecret !== undefined;
  const domain = `${metadata?.name}.${metadata?.namespace}.svc`;
  const endpoints = members.map((name) => `${isSecure ? 'https' : 'http'}://${name}.${domain}:${clientPort}`);
  const files = memberPaths.serverTLS;
  const flags: readonly (readonly [string, string])[] = [
    ['endpoints', endpoints.join(',')],
    ...(isSecure
      ? ([
          ['cacert', `${files}/server-ca.crt`],
          ['cert', `${files}/server.crt`],
          ['key', `${files}/server.key`],
        ] as const)
      : []),
  ];
  const isGiven = (flag: string) => rest.some((word) => word === `--${flag}` || word.startsWith(`--${flag}=`));
  return [program, ...flags.filter(([flag]) => !isGiven(flag)).map(([flag, value]) => `--${flag}=${value}`), ...rest];
}

function podFor({ metadata }: EtcdCluster, pods: readonly Pod[], member: string | undefined): Pod {
  const names = pods.map((pod) => pod.metadata?.name).join(', ');
  if (member !== undefined) {
    const found = pods.find((pod) => pod.metadata?.name === member);
    if (found) return found;
    throw new CliError(
      'NotFound',
      `${member} is not a member of EtcdCluster ${metadata?.name}; its members are: ${names || 'none'}`,
    );
  }
  const found = pods.find(isReady) ?? pods.find(isRunning);
  if (found) return found;
  throw new CliError('Unreachable', `no pod of EtcdCluster ${metadata?.name} is running; its pods: ${names || 'none'}`);
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false;
}

function isRunning({ status }: Pod): boolean {
  return status?.phase === 'Running';
}
