// SPDX-License-Identifier: Apache-2.0
import { type MessageChannel, portForwardProtocol, remoteCommandProtocols } from '@operator-parts/kube';
import type { JsonObject } from '../../json/json.ts';
import { ApiError, badRequest, unknownPath } from '../../server/api-error.ts';
import type { Call } from '../../server/core.ts';
import type { NodeProxy } from '../../server/node-proxy.ts';
import { isTrue } from '../../server/request-info.ts';
import { asPod, containerOf, isBound, podOf } from './pod-container.ts';
import { serveForwards } from './port-forward-channel.ts';
import { proxyTarget } from './proxy-target.ts';
import { serveCommand } from './remote-command-channel.ts';

/** A channel that the server accepts. */
export interface AcceptedChannel {
  readonly protocol: string;
  /** Serves the channel until it is done; the channel is closed afterwards. */
  run(channel: MessageChannel, signal: AbortSignal): Promise<void>;
}

/** Opens `exec`, `attach` and `portforward` of a pod. Throws an `ApiError` if it cannot. */
export function acceptPodChannel(call: Call, protocols: readonly string[]): AcceptedChannel {
  const { subresource } = call.info;
  if (subresource === 'proxy') {
    // Called for its errors only: they come before the refusal of the upgrade.
    proxyTarget(call);
    throw badRequest('this server does not proxy upgraded connections; use port-forward of the pod');
  }
  if (call.resource.collection !== 'pods') throw unknownPath();
  const pod = podOf(call);
  if (subresource === 'portforward') {
    const node = nodeOf(call, pod);
    return {
      protocol: choose(protocols, [portForwardProtocol]),
      run: (channel, signal) => serveForwards(node, asPod(pod), channel, signal),
    };
  }
  if (subresource !== 'exec' && subresource !== 'attach') throw unknownPath();
  const container = containerOf(call, pod);
  const node = nodeOf(call, pod);
  const { query } = call;
  const options = {
    container,
    command: subresource === 'exec' ? query.getAll('command') : [],
    stdin: isTrue(query.get('stdin')),
    stdout: isTrue(query.get('stdout')),
    stderr: isTrue(query.get('stderr')),
    tty: isTrue(query.get('tty')),
  };
  if (!options.stdin && !options.stdout && !options.stderr) {
    throw badRequest('you must specify at least 1 of stdin, stdout, stderr');
  }
  return {
    protocol: choose(protocols, remoteCommandProtocols),
    run: (channel, signal) => serveCommand({ node, pod: asPod(pod), options, channel, signal, subresource }),
  };
}

function nodeOf(call: Call, pod: JsonObject): NodeProxy {
  if (!isBound(pod)) throw badRequest(`pod ${call.info.name} does not have a host assigned`);
  const { current } = call.core.nodeProxy;
  if (!current) throw new ApiError(502, '', 'this server has no nodes, so no pod runs');
  return current;
}

function choose(offered: readonly string[], known: readonly string[]): string {
  const protocol = offered.find((name) => known.includes(name));
  if (protocol !== undefined) return protocol;
  if (offered.length === 0) throw badRequest('Upgrade request required');
  throw new ApiError(403, 'Forbidden', `none of the requested protocols is known: ${offered.join(', ')}`);
}
