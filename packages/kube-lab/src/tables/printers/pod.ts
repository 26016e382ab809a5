// SPDX-License-Identifier: Apache-2.0
import { asArray, asNumber, asObject, asObjects, asString, getIn, type JsonObject } from '../../json/json.ts';
import { age, conditionStatus, nameOf, orNone, type Printer, since } from '../printer.ts';

/** A summary of the statuses of a pod's containers. */
interface Summary {
  reason: string;
  ready: number;
  restarts: number;
  lastRestart: string;
}

/** READY, STATUS and RESTARTS of a pod as `kubectl get` shows them. */
export const podCells: Printer = (pod, now) => {
  const spec = asObject(pod['spec']) ?? {};
  const total = asObjects(spec['containers']).length + asObjects(spec['initContainers']).filter(isSidecar).length;
  const summary = summarise(pod);
  const ago = summary.lastRestart === '' ? '' : ` (${since(summary.lastRestart, now)} ago)`;
  const restarts = summary.restarts > 0 ? `${summary.restarts}${ago}` : '0';
  return [
    nameOf(pod),
    `${summary.ready}/${total}`,
    finalReason(pod, summary.reason),
    restarts,
    age(pod, now),
    orNone(asObjects(getIn(pod, 'status', 'podIPs'))[0]?.['ip']),
    orNone(spec['nodeName']),
    orNone(getIn(pod, 'status', 'nominatedNodeName')),
    readinessGates(pod),
  ];
};

function isSidecar(container: JsonObject): boolean {
  return container['restartPolicy'] === 'Always';
}

function summarise(pod: JsonObject): Summary {
  const status = asObject(pod['status']) ?? {};
  const summary: Summary = { reason: asString(status['phase']) ?? '', ready: 0, restarts: 0, lastRestart: '' };
  if (status['reason']) summary.reason = String(status['reason']);
  const gated = asObjects(status['conditions']).some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  );
  if (gated) summary.reason = 'SchedulingGated';
  const sidecars: Summary = { ...summary, restarts: 0 };
  const initializing = addInitContainers(pod, summary, sidecars);
  if (initializing && conditionStatus(pod, 'Initialized') !== 'True') return summary;
  summary.restarts = sidecars.restarts;
  summary.lastRestart = sidecars.lastRestart;
  addContainers(pod, summary);
  return summary;
}

function addInitContainers(pod: JsonObject, summary: Summary, sidecars: Summary): boolean {
  const specs = asObjects(getIn(pod, 'spec', 'initContainers'));
  for (const [index, status] of asObjects(getIn(pod, 'status', 'initContainerStatuses')).entries()) {
    const sidecar = isSidecar(specs.find(({ name }) => name === status['name']) ?? {});
    addRestarts(status, summary);
    if (sidecar) addRestarts(status, sidecars);
    if (isDone(status)) continue;
    if (sidecar && status['started'] === true) {
      if (status['ready'] === true) summary.ready++;
      continue;
    }
    summary.reason = `Init:${initReason(status, index, specs.length)}`;
    return true;
  }
  return false;
}

function isDone(status: JsonObject): boolean {
  return asNumber(getIn(status, 'state', 'terminated', 'exitCode')) === 0;
}

function initReason(status: JsonObject, index: number, count: number): string {
  const terminated = asObject(getIn(status, 'state', 'terminated'));
  if (terminated) return terminationReason(terminated);
  const waiting = asString(getIn(status, 'state', 'waiting', 'reason')) ?? '';
  return waiting !== '' && waiting !== 'PodInitializing' ? waiting : `${index}/${count}`;
}

function addContainers(pod: JsonObject, summary: Summary): void {
  let running = 0;
  let failure = '';
  for (const status of asObjects(getIn(pod, 'status', 'containerStatuses')).toReversed()) {
    addRestarts(status, summary);
    const terminated = asObject(getIn(status, 'state', 'terminated'));
    const waiting = asString(getIn(status, 'state', 'waiting', 'reason')) ?? '';
    if (waiting !== '') summary.reason = waiting;
    else if (terminated) summary.reason = terminationReason(terminated);
    else if (status['ready'] === true && getIn(status, 'state', 'running') !== undefined) running++;
    if (waiting === '' && terminated && !isDone(status)) failure = summary.reason;
  }
  summary.ready += running;
  if (summary.reason === 'Completed') summary.reason = completedReason(pod, running > 0, failure);
}

/** The reason of a pod with a completed container, which may still run other containers. */
function completedReason(pod: JsonObject, hasRunning: boolean, failure: string): string {
  if (hasRunning && conditionStatus(pod, 'Ready') === 'True') return 'Running';
  if (failure !== '') return failure;
  return hasRunning ? 'NotReady' : 'Completed';
}

function addRestarts(status: JsonObject, summary: Summary): void {
  summary.restarts += asNumber(status['restartCount']) ?? 0;
  const finished = asString(getIn(status, 'lastState', 'terminated', 'finishedAt')) ?? '';
  if (finished > summary.lastRestart) summary.lastRestart = finished;
}

function terminationReason(terminated: JsonObject): string {
  if (terminated['reason']) return String(terminated['reason']);
  return terminated['signal'] ? `Signal:${String(terminated['signal'])}` : `ExitCode:${String(terminated['exitCode'])}`;
}

function finalReason(pod: JsonObject, reason: string): string {
  if (getIn(pod, 'metadata', 'deletionTimestamp') === undefined) return reason;
  if (getIn(pod, 'status', 'reason') === 'NodeLost') return 'Unknown';
  const phase = getIn(pod, 'status', 'phase');
  return phase === 'Succeeded' || phase === 'Failed' ? reason : 'Terminating';
}

function readinessGates(pod: JsonObject): string {
  const gates = asArray(getIn(pod, 'spec', 'readinessGates')).map((gate) => String(getIn(gate, 'conditionType')));
  if (gates.length === 0) return '<none>';
  return `${gates.filter((gate) => conditionStatus(pod, gate) === 'True').length}/${gates.length}`;
}
