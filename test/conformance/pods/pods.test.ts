// SPDX-License-Identifier: Apache-2.0
import { startLabNodes } from './backend-lab-nodes.ts';
import { runPodSubjects } from './run-subjects.ts';

/** The same cases run against a real kubelet in the end-to-end tests. */
runPodSubjects('lab', startLabNodes);
