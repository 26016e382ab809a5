{{/* What the objects of a release are called, for an operator by its key in the values. What is too long ends in a hash instead, so that
no two operators and no two releases are called the same. */}}
{{- define "etcd-operator.nameOf" -}}
{{- $name := include "etcd-operator.shortName" . }}
{{- if .root.Values.fullnameOverride }}
{{- .root.Values.fullnameOverride }}{{ include "etcd-operator.suffix" . }}
{{- else }}
{{- $release := .root.Release.Name | replace "." "-" }}
{{- $full := printf "%s-%s" $release $name }}
{{- if le (len (ternary $release $full (contains $name $release))) 52 }}
{{- ternary $release $full (contains $name $release) }}
{{- else }}
{{- printf "%s-%s" ($full | trunc 43 | trimSuffix "-") (printf "%s/%s" .root.Release.Name $name | sha256sum | trunc 8) }}
{{- end }}
{{- end }}
{{- end }}

{{/* Of one operator, without the release. */}}
{{- define "etcd-operator.shortName" -}}
{{- if .root.Values.nameOverride }}{{ .root.Values.nameOverride }}{{ include "etcd-operator.suffix" . }}{{ else }}{{ (index .root.Values .key).name }}{{ end }}
{{- end }}

{{- define "etcd-operator.suffix" -}}
{{ get (dict "etcdOperator" "" "backupOperator" "-backup" "restoreOperator" "-restore") .key }}
{{- end }}

{{/* The Deployments: the key that each takes its settings from, and the keys of the operators in it. */}}
{{- define "etcd-operator.units" -}}
{{- $wanted := list }}
{{- range $key := list "etcdOperator" "backupOperator" "restoreOperator" }}
{{- if index $.Values.deployments $key }}{{ $wanted = append $wanted $key }}{{ end }}
{{- end }}
{{- if and $wanted .Values.separateDeployments }}
{{- range $key := $wanted }}
- key: {{ $key }}
  members: [{{ $key }}]
{{- end }}
{{- else if $wanted }}
- key: {{ first $wanted }}
  members: [{{ join ", " $wanted }}]
{{- end }}
{{- end }}

{{- define "etcd-operator.serviceAccountName" -}}
{{- with index .root.Values.serviceAccount (printf "%sServiceAccount" .key) }}
{{- if .create }}{{ default (include "etcd-operator.nameOf" $) .name }}{{ else }}{{ default "default" .name }}{{ end }}
{{- end }}
{{- end }}

{{/* The program of an operator, and what it is called among the controllers of one process. */}}
{{- define "etcd-operator.program" -}}
{{ get (dict "etcdOperator" "etcd-operator" "backupOperator" "etcd-backup-operator" "restoreOperator" "etcd-restore-operator") .key }}
{{- end }}

{{- define "etcd-operator.controller" -}}
{{ get (dict "etcdOperator" "cluster" "backupOperator" "backup" "restoreOperator" "restore") .key }}
{{- end }}

{{- define "etcd-operator.selectorLabels" -}}
app.kubernetes.io/name: {{ include "etcd-operator.shortName" . | quote }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
{{- end }}

{{- define "etcd-operator.labels" -}}
{{ include "etcd-operator.selectorLabels" . }}
app.kubernetes.io/part-of: etcd-operator
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Of what comes and goes with a hook; `purpose` ends its name. No label by which Deployments, budgets, Services, monitors or network policies
find operators. */}}
{{- define "etcd-operator.hookLabels" -}}
app.kubernetes.io/name: {{ include "etcd-operator.shortName" . | trunc 58 | trimSuffix "-" }}-{{ .purpose }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "etcd-operator.image" -}}
{{- with (index .root.Values .key).image }}
{{- .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ default (printf "v%s" $.root.Chart.AppVersion) .tag }}{{ end }}
{{- end }}
{{- end }}
