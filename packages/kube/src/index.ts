// SPDX-License-Identifier: Apache-2.0
/**
 * The Kubernetes API over HTTP: configuration and authentication, a typed client that keeps unknown fields, patches,
 * and the value types of the API (quantities, selectors, times). Independent of controllers.
 */
export type { RunProgram } from './auth/exec-plugin.ts';
export type {
  ApplyOptions,
  CallOptions,
  Client,
  DeleteOptions,
  JsonPatchOperation,
  ListOptions,
  Patch,
  Reader,
  ResourceClient,
  RetryingClient,
  SelectOptions,
  SubresourceClient,
  WatchOptions,
  WriteOptions,
  Writer,
} from './client/client.ts';
export { type ClientOptions, createClient } from './client/create-client.ts';
export { createIfAbsent } from './client/create-if-absent.ts';
export { ignoreNotFound } from './client/ignore-not-found.ts';
export type { WatchEvent } from './client/watch-event.ts';
export type { ClusterConfig, Credential, ExecPlugin, Impersonation, Pem } from './config/cluster-config.ts';
export type { Environment, ReadFile } from './config/in-cluster.ts';
export { type LoadConfigOptions, loadConfig } from './config/load-config.ts';
export { type ConnectOptions, connect } from './connect.ts';
export type { ApiCatalogue, ApiResource } from './discovery/api-resource.ts';
export { Discovery, type DiscoveryOptions } from './discovery/discovery.ts';
export {
  type MutatingAdmissionPolicy,
  type MutatingAdmissionPolicyBinding,
  type MutatingWebhook,
  type MutatingWebhookConfiguration,
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
  mutatingWebhookConfigurations,
  type RuleWithOperations,
  type ValidatingAdmissionPolicy,
  type ValidatingAdmissionPolicyBinding,
  type ValidatingWebhook,
  type ValidatingWebhookConfiguration,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
  validatingWebhookConfigurations,
  type WebhookClientConfig,
} from './generated/admissionregistration-v1.ts';
export {
  type CustomResourceColumnDefinition,
  type CustomResourceDefinition,
  type CustomResourceDefinitionCondition,
  type CustomResourceDefinitionSpec,
  type CustomResourceDefinitionVersion,
  type CustomResourceValidation,
  customResourceDefinitions,
  type JSONSchemaProps,
  type ValidationRule,
} from './generated/apiextensions-v1.ts';
export {
  type ControllerRevision,
  controllerRevisions,
  type DaemonSet,
  type DaemonSetSpec,
  type Deployment,
  type DeploymentSpec,
  type DeploymentStatus,
  daemonSets,
  deployments,
  type ReplicaSet,
  type ReplicaSetSpec,
  replicaSets,
  type StatefulSet,
  type StatefulSetSpec,
  type StatefulSetStatus,
  statefulSets,
} from './generated/apps-v1.ts';
export {
  type SelfSubjectReview,
  selfSubjectReviews,
  type TokenRequest,
  type TokenReview,
  tokenReviews,
  type UserInfo,
} from './generated/authentication-v1.ts';
export {
  type LocalSubjectAccessReview,
  localSubjectAccessReviews,
  type ResourceAttributes,
  type SelfSubjectAccessReview,
  type SelfSubjectRulesReview,
  type SubjectAccessReview,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
} from './generated/authorization-v1.ts';
export {
  type HorizontalPodAutoscaler,
  horizontalPodAutoscalers,
  type Scale,
  type ScaleSpec,
  type ScaleStatus,
} from './generated/autoscaling-v1.ts';
export {
  type CronJob,
  type CronJobSpec,
  cronJobs,
  type Job,
  type JobCondition,
  type JobSpec,
  type JobStatus,
  type JobTemplateSpec,
  jobs,
} from './generated/batch-v1.ts';
export {
  type Lease,
  type LeaseSpec,
  leases,
} from './generated/coordination-v1.ts';
export {
  type Affinity,
  type Binding,
  bindings,
  type Capabilities,
  type ComponentStatus,
  type ConfigMap,
  type ConfigMapKeySelector,
  type Container,
  type ContainerPort,
  type ContainerState,
  type ContainerStateRunning,
  type ContainerStateTerminated,
  type ContainerStateWaiting,
  type ContainerStatus,
  componentStatuses,
  configMaps,
  type EmptyDirVolumeSource,
  type EndpointAddress,
  type EndpointSubset,
  type Endpoints,
  type EnvFromSource,
  type EnvVar,
  type EnvVarSource,
  type EphemeralContainer,
  type Event,
  type EventSource,
  type ExecAction,
  endpoints,
  events,
  type HostAlias,
  type HTTPGetAction,
  type KeyToPath,
  type Lifecycle,
  type LifecycleHandler,
  type LimitRange,
  type LocalObjectReference,
  limitRanges,
  type Namespace,
  type Node,
  type NodeAddress,
  type NodeAffinity,
  type NodeCondition,
  type NodeSelector,
  type NodeSelectorTerm,
  type NodeStatus,
  namespaces,
  nodes,
  type ObjectReference,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type PersistentVolumeClaimSpec,
  type PersistentVolumeClaimStatus,
  type PersistentVolumeClaimTemplate,
  type PersistentVolumeSpec,
  type Pod,
  type PodAffinity,
  type PodAffinityTerm,
  type PodAntiAffinity,
  type PodCondition,
  type PodDNSConfig,
  type PodSecurityContext,
  type PodSpec,
  type PodStatus,
  type PodTemplate,
  type PodTemplateSpec,
  type Probe,
  type ProjectedVolumeSource,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  podTemplates,
  type ReplicationController,
  type ResourceQuota,
  type ResourceRequirements,
  replicationControllers,
  resourceQuotas,
  type SeccompProfile,
  type Secret,
  type SecretKeySelector,
  type SecretVolumeSource,
  type SecurityContext,
  type Service,
  type ServiceAccount,
  type ServicePort,
  type ServiceSpec,
  type ServiceStatus,
  secrets,
  serviceAccounts,
  services,
  type Taint,
  type TCPSocketAction,
  type Toleration,
  type TopologySpreadConstraint,
  type Volume,
  type VolumeMount,
  type VolumeProjection,
  type VolumeResourceRequirements,
  type WeightedPodAffinityTerm,
} from './generated/core-v1.ts';
export {
  type Endpoint,
  type EndpointConditions,
  type EndpointPort as EndpointSlicePort,
  type EndpointSlice,
  endpointSlices,
} from './generated/discovery-v1.ts';
export {
  type Event as EventsV1Event,
  events as eventsV1Events,
} from './generated/events-v1.ts';
export type {
  Condition,
  LabelSelector,
  LabelSelectorRequirement,
} from './generated/meta-v1.ts';
export {
  type Eviction,
  type PodDisruptionBudget,
  type PodDisruptionBudgetSpec,
  type PodDisruptionBudgetStatus,
  podDisruptionBudgets,
} from './generated/policy-v1.ts';
export {
  type ClusterRole,
  type ClusterRoleBinding,
  clusterRoleBindings,
  clusterRoles,
  type PolicyRule,
  type Role,
  type RoleBinding,
  type RoleRef,
  roleBindings,
  roles,
  type Subject,
} from './generated/rbac-v1.ts';
export {
  type CSIDriver,
  type CSINode,
  type CSIStorageCapacity,
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  type StorageClass,
  storageClasses,
  type VolumeAttachment,
  type VolumeAttributesClass,
  volumeAttachments,
  volumeAttributesClasses,
} from './generated/storage-v1.ts';
export { jsonEqual } from './json/json-equal.ts';
export type { JsonObject, JsonValue } from './json/json-value.ts';
export { isKubeError, KubeError, type KubeErrorCode, type RequestSummary, type Status } from './kube-error.ts';
export {
  type KubeObject,
  keyOf,
  keyString,
  type ManagedFieldsEntry,
  type ObjectKey,
  type ObjectList,
  type ObjectMeta,
  type OwnerReference,
  parseKey,
} from './object.ts';
export { patchSchemaOf } from './patch/built-in-patch-schema.ts';
export { applyJsonPatch } from './patch/json-patch.ts';
export { createJsonPatch } from './patch/json-patch-diff.ts';
export { applyMergePatch, createMergePatch } from './patch/merge-patch.ts';
export { PatchError, type PatchErrorCode } from './patch/patch-error.ts';
export type { PatchField, PatchSchema } from './patch/patch-schema.ts';
export { applyStrategicPatch, createStrategicPatch } from './patch/strategic/strategic-patch.ts';
export { attach, type ExecOptions, exec, type OutputSink, type StreamOptions, type TerminalSize } from './pods/exec.ts';
export { type LogOptions, podLogLines, podLogs } from './pods/logs.ts';
export {
  type ForwardedConnection,
  portForward,
  portForwardHeaders,
  portForwardProtocol,
} from './pods/port-forward.ts';
export {
  closeMessage,
  exitCodeOf,
  remoteCommandProtocols,
  statusOfExit,
  streamMessage,
  streams,
} from './pods/remote-command.ts';
export { apiVersionOf, qualifiedName, type Resource, resourcePath } from './resource.ts';
export {
  type FieldRequirement,
  formatFieldSelector,
  matchesFields,
  parseFieldSelector,
} from './selectors/field-selector.ts';
export {
  isLabelKey,
  isLabelValue,
  type LabelOperator,
  type LabelRequirement,
  type Labels,
  labelRequirements,
  matchesLabelSelector,
  matchesLabels,
} from './selectors/label-requirement.ts';
export { formatLabelSelector, parseLabelSelector } from './selectors/label-selector.ts';
export type { SpdyHeaders } from './spdy/header-block.ts';
export { type ByteLink, SpdyConnection, type SpdyConnectionOptions } from './spdy/spdy-connection.ts';
export { SpdyError } from './spdy/spdy-error.ts';
export type { SpdyStream } from './spdy/spdy-stream.ts';
export { HttpTransport, type HttpTransportOptions } from './transport/http-transport.ts';
export { type Retry, type RetryOptions, withRetry } from './transport/retry.ts';
export type {
  ChannelRequest,
  HttpMethod,
  MessageChannel,
  Transport,
  TransportRequest,
  TransportResponse,
} from './transport/transport.ts';
export { untilAborted } from './transport/until-aborted.ts';
export { whenAborted } from './transport/when-aborted.ts';
export { formatDuration, parseDuration } from './values/duration.ts';
export { formatMicroTime, formatTime, parseTime } from './values/micro-time.ts';
export { ParseError, type ParseErrorCode } from './values/parse-error.ts';
export {
  formatQuantity,
  parseQuantity,
  type Quantity,
  type QuantityFormat,
  storedQuantity,
  wholeValue,
} from './values/quantity.ts';
export { compareResourceVersions, isOrderedResourceVersion } from './values/resource-version.ts';
export { answerUpgrade } from './web-socket/handshake.ts';
export { ChannelClosedError, WebSocketChannel, type WebSocketChannelOptions } from './web-socket/web-socket-channel.ts';
