// SPDX-License-Identifier: Apache-2.0
import type { DnsRecord } from '../dns/record.ts';
import type { DnsBehaviour } from '../dns/server.ts';
import type {
  ContainerExit,
  ContainerSpec,
  ExecLimits,
  ExecResult,
  ProbeOutcome,
  ProbeTarget,
  SandboxSpec,
  WrittenFile,
} from './container-runtime.ts';
import type { RuntimeErrorCode } from './runtime-error.ts';

/**
 * The calls from the process that started the lab to the agent, which runs inside the lab's own Linux namespaces: name
 * -> parameters and result. Messages are JSON over Node's IPC channel; `dial` returns a connected socket.
 */
export interface AgentCalls {
  createSandbox: { readonly params: SandboxSpec; readonly result: undefined };
  removeSandbox: { readonly params: { readonly id: string }; readonly result: undefined };
  startContainer: { readonly params: ContainerSpec; readonly result: undefined };
  signalContainer: {
    readonly params: { readonly id: string; readonly signal: NodeJS.Signals };
    readonly result: undefined;
  };
  removeContainer: { readonly params: { readonly id: string; readonly directory: string }; readonly result: undefined };
  exec: {
    readonly params: { readonly id: string; readonly argv: readonly string[]; readonly limits: ExecLimits };
    readonly result: ExecResult;
  };
  probe: {
    readonly params: { readonly target: ProbeTarget; readonly timeoutMilliseconds: number };
    readonly result: ProbeOutcome;
  };
  mountMemory: {
    readonly params: { readonly directory: string; readonly sizeBytes?: number };
    readonly result: undefined;
  };
  resizeMemory: {
    readonly params: { readonly directory: string; readonly sizeBytes: number };
    readonly result: undefined;
  };
  unmount: { readonly params: { readonly directory: string }; readonly result: undefined };
  writeFiles: {
    readonly params: { readonly directory: string; readonly files: readonly WrittenFile[]; readonly name: string };
    readonly result: undefined;
  };
  dial: { readonly params: { readonly host: string; readonly port: number }; readonly result: undefined };
  /** Sets the route of a Service's address. Without `route`, removes it. */
  setRoute: {
    readonly params: { readonly owner: string; readonly route: ServiceRoute | undefined };
    readonly result: undefined;
  };
  /** Connections of pods to the API server's address are forwarded to this unix socket of the host. */
  setApiServer: { readonly params: { readonly path: string }; readonly result: undefined };
  /** Makes exactly these cuts, and removes all others. */
  setCuts: { readonly params: { readonly cuts: readonly Cut[] }; readonly result: undefined };
  /** Slows the incoming traffic of a pod. */
  slow: { readonly params: { readonly sandbox: string; readonly slowness: Slowness }; readonly result: undefined };
  /** Freezes or continues every process of a sandbox. */
  freeze: { readonly params: { readonly sandbox: string; readonly frozen: boolean }; readonly result: undefined };
  setDns: { readonly params: Partial<DnsBehaviour>; readonly result: undefined };
  fillDisk: { readonly params: { readonly directory: string }; readonly result: string };
  relieveDisk: { readonly params: { readonly directory: string }; readonly result: undefined };
  blankDisk: { readonly params: { readonly directory: string }; readonly result: undefined };
  swapDisks: { readonly params: { readonly one: string; readonly other: string }; readonly result: undefined };
  corruptDisk: {
    readonly params: { readonly directory: string; readonly match: string };
    readonly result: readonly string[];
  };
  /** Runs a command with its streams connected; resolves with its exit code. */
  execStream: { readonly params: ExecStreamParams; readonly result: number };
  killExec: { readonly params: { readonly execId: string }; readonly result: undefined };
  resizeExec: {
    readonly params: { readonly execId: string; readonly width: number; readonly height: number };
    readonly result: undefined;
  };
  /** Connects to a port on a pod's loopback; returns the socket. */
  dialLoopback: {
    readonly params: { readonly sandbox: string; readonly address: string; readonly port: number };
    readonly result: undefined;
  };
  setRecords: {
    readonly params: { readonly owner: string; readonly records: readonly DnsRecord[] };
    readonly result: undefined;
  };
}

/** A cluster IP and the targets of its ports. Without a target, connections are refused. */
export interface ServiceRoute {
  readonly address: string;
  readonly ports: readonly {
    readonly port: number;
    readonly targets: readonly { readonly host: string; readonly port: number }[];
  }[];
}

/** Drops packets from one range of addresses (`10.244.1.0/24`, `10.244.1.5/32`) to another, in one direction. */
export interface Cut {
  readonly from: string;
  readonly to: string;
  /** Drops only TCP packets to this port. @default all packets */
  readonly port?: number;
}

/** How a link is slowed. Loss needs a kernel with netem. Without netem, latency applies to TCP connections only. */
export interface Slowness {
  readonly kilobitsPerSecond?: number;
  readonly latencyMilliseconds?: number;
  readonly lossPercent?: number;
}

export type StreamName = 'stdin' | 'stdout' | 'stderr';

/** A command to run inside a container with its streams connected. */
export interface ExecStreamParams {
  readonly execId: string;
  readonly container: string;
  readonly argv: readonly string[];
  readonly tty: boolean;
  readonly streams: readonly StreamName[];
  /** The unix socket to which each stream connects. The first byte says which stream it is: 0, 1 or 2. */
  readonly path: string;
}

/** The name of a call. */
export type AgentCall = keyof AgentCalls;

/** A call of the agent. */
export interface AgentRequest<K extends AgentCall = AgentCall> {
  readonly id: number;
  readonly call: K;
  readonly params: AgentCalls[K]['params'];
}

/** What the agent sends: one answer for each request, and events in between. */
export type AgentMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'result'; readonly id: number; readonly result: unknown }
  | { readonly type: 'failure'; readonly id: number; readonly code: RuntimeErrorCode; readonly message: string }
  | { readonly type: 'exit'; readonly exit: ContainerExit };
