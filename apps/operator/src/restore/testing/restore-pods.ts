// SPDX-License-Identifier: Apache-2.0
/** The names in the pods of a restore, for tests that simulate their nodes. */
export { annotations, labels } from '../../api/names.ts';
export { readRestoreMarker } from '../../api/restore-marker.ts';
export { proveContainer } from '../../backup/prove/proof-pod.ts';
export { renderWords } from '../../backup/prove/proof-report.ts';
export { deliveryPort } from '../delivery/channel.ts';
export { Measure, type Measured } from '../delivery/measure.ts';
export { agentServer } from '../delivery/receive-snapshot.ts';
export type { SnapshotPlace } from '../delivery/snapshot-file.ts';
export { fetchContainer, restoreContainer, restoreSwitch } from '../objects/seed-pod.ts';
export { snapshotPort } from '../objects/snapshot-pod.ts';
export { readContainer } from '../objects/survivor-pod.ts';
export type { LogReading, SurvivorReading } from '../observation.ts';
