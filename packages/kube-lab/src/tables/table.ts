// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { asNumber, asObjects, asString, getIn, type Json, type JsonObject } from '../json/json.ts';
import { selectPath } from '../json/json-path.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { age, nameOf, type Printer, since } from './printer.ts';
import {
  claimCells,
  configMapCells,
  endpointsCells,
  eventCells,
  nameAndAge,
  namespaceCells,
  nodeCells,
  secretCells,
  serviceCells,
  volumeCells,
} from './printers/core.ts';
import {
  autoscalerCells,
  ingressCells,
  ingressClassCells,
  networkPolicyCells,
  policyBindingCells,
  policyCells,
  priorityClassCells,
  quotaCells,
  runtimeClassCells,
  serviceCidrCells,
} from './printers/networking.ts';
import { podCells } from './printers/pod.ts';
import {
  bindingCells,
  budgetCells,
  createdCells,
  endpointSliceCells,
  leaseCells,
  revisionCells,
  storageClassCells,
  webhooksCells,
} from './printers/small-kinds.ts';
import {
  cronJobCells,
  daemonSetCells,
  deploymentCells,
  jobCells,
  replicaSetCells,
  statefulSetCells,
} from './printers/workloads.ts';

const printers: Readonly<Record<string, Printer>> = {
  configmaps: configMapCells,
  secrets: secretCells,
  namespaces: namespaceCells,
  serviceaccounts: nameAndAge,
  services: serviceCells,
  endpoints: endpointsCells,
  nodes: nodeCells,
  pods: podCells,
  persistentvolumeclaims: claimCells,
  persistentvolumes: volumeCells,
  events: eventCells,
  'deployments.apps': deploymentCells,
  'replicasets.apps': replicaSetCells,
  'statefulsets.apps': statefulSetCells,
  'daemonsets.apps': daemonSetCells,
  'controllerrevisions.apps': revisionCells,
  'jobs.batch': jobCells,
  'cronjobs.batch': cronJobCells,
  'poddisruptionbudgets.policy': budgetCells,
  'rolebindings.rbac.authorization.k8s.io': bindingCells,
  'clusterrolebindings.rbac.authorization.k8s.io': bindingCells,
  'storageclasses.storage.k8s.io': storageClassCells,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhooksCells,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhooksCells,
  'leases.coordination.k8s.io': leaseCells,
  'networkpolicies.networking.k8s.io': networkPolicyCells,
  'ingresses.networking.k8s.io': ingressCells,
  'ingressclasses.networking.k8s.io': ingressClassCells,
  'servicecidrs.networking.k8s.io': serviceCidrCells,
  'priorityclasses.scheduling.k8s.io': priorityClassCells,
  'runtimeclasses.node.k8s.io': runtimeClassCells,
  'horizontalpodautoscalers.autoscaling': autoscalerCells,
  'validatingadmissionpolicies.admissionregistration.k8s.io': policyCells,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': policyBindingCells,
  resourcequotas: quotaCells,
  'endpointslices.discovery.k8s.io': endpointSliceCells,
};

/** The table layout of a kind. */
export interface TableLayout {
  readonly columnDefinitions: readonly JsonObject[];
  readonly cells: Printer;
}

type Column = readonly [name: string, type: string, format: string, description: number, priority: number];

interface CapturedColumns {
  readonly descriptions: readonly string[];
  readonly columns: Readonly<Record<string, readonly Column[]>>;
}

let captured: CapturedColumns | undefined;

/** The columns of a real server for built-in kinds. */
function capturedColumns(): CapturedColumns {
  captured ??= JSON.parse(readFileSync(new URL('./columns.json', import.meta.url), 'utf8')) as CapturedColumns;
  return captured;
}

/** The layout of a resource's table. */
export function tableLayout(resource: ServedResource): TableLayout {
  if (resource.custom) return customLayout(resource);
  const { columns, descriptions } = capturedColumns();
  const printer = printers[resource.collection];
  const own = columns[resource.collection];
  const chosen = printer && own ? own : (columns['roles.rbac.authorization.k8s.io'] ?? []);
  const columnDefinitions = chosen.map(([name, type, format, description, priority]) =>
    column(name, type, format, descriptions[description] ?? '', priority),
  );
  return { columnDefinitions, cells: printer && own ? printer : createdCells };
}

function column(name: string, type: string, format: string, description: string, priority: number): JsonObject {
  return { name, type, format, description, priority };
}

const nameDescription =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names';
const ageDescription =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata';

function customLayout({ definition }: ServedResource): TableLayout {
  const declared = asObjects(definition?.['additionalPrinterColumns']);
  const nameColumn = column('Name', 'string', 'name', nameDescription, 0);
  if (declared.length === 0) {
    const ageColumn = column('Age', 'date', '', ageDescription, 0);
    return {
      columnDefinitions: [nameColumn, ageColumn],
      cells: (object, now) => [nameOf(object), age(object, now)],
    };
  }
  const columns = declared.map((one) => ({
    path: asString(one['jsonPath']) ?? '',
    type: asString(one['type']) ?? 'string',
    definition: column(
      asString(one['name']) ?? '',
      asString(one['type']) ?? 'string',
      asString(one['format']) ?? '',
      asString(one['description']) ||
        `Custom resource definition column (in JSONPath format): ${asString(one['jsonPath']) ?? ''}`,
      asNumber(one['priority']) ?? 0,
    ),
  }));
  return {
    columnDefinitions: [nameColumn, ...columns.map(({ definition: own }) => own)],
    cells: (object, now) => [nameOf(object), ...columns.map(({ path, type }) => customCell(object, path, type, now))],
  };
}

function customCell(object: JsonObject, path: string, type: string, now: number): Json {
  const [value] = selectPath(object, path);
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? since(value, now) : '<invalid>';
    default:
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
}

/** One row. `include` says how much of the object is included. */
export function tableRow(layout: TableLayout, object: JsonObject, now: number, include: string): JsonObject {
  const cells = [...layout.cells(object, now)];
  const row: JsonObject = { cells };
  if (include === 'Object') row['object'] = object;
  else row['object'] = include === 'None' ? null : partialMetadata(object);
  return row;
}

/** An object with only its metadata. */
export function partialMetadata(object: JsonObject): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: getIn(object, 'metadata') ?? {} };
}
