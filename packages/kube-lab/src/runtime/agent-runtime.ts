// SPDX-License-Identifier: Apache-2.0
import type { AgentProcess } from './agent-process.ts';
import type { ContainerRuntime } from './container-runtime.ts';

/** The runtime of a real lab: forwards every call to the agent. */
export function createAgentRuntime(agent: AgentProcess): ContainerRuntime {
  return {
    createSandbox: (spec) => agent.call('createSandbox', spec),
    removeSandbox: (id) => agent.call('removeSandbox', { id }),
    startContainer: (spec) => agent.call('startContainer', spec),
    signalContainer: (id, signal) => agent.call('signalContainer', { id, signal }),
    removeContainer: (id, directory) => agent.call('removeContainer', { id, directory }),
    exec: (id, argv, limits) => agent.call('exec', { id, argv, limits }),
    probe: (target, timeoutMilliseconds) => agent.call('probe', { target, timeoutMilliseconds }),
    mountMemory: (directory, sizeBytes) =>
      agent.call('mountMemory', sizeBytes === undefined ? { directory } : { directory, sizeBytes }),
    resizeMemory: (directory, sizeBytes) => agent.call('resizeMemory', { directory, sizeBytes }),
    unmount: (directory) => agent.call('unmount', { directory }),
    writeFiles: (directory, files, name) => agent.call('writeFiles', { directory, files, name }),
    onExit: (listener) => agent.onExit(listener),
  };
}
