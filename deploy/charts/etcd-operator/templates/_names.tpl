{{/* What the objects of a release are called, for an operator by its key in the values. */}}
{{- define "etcd-operator.nameOf" -}}
{{- $name := (index .root.Values .key).name }}
{{- if contains $name .root.Release.Name }}{{ .root.Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .root.Release.Name $name | trunc 52 | trimSuffix "-" }}
{{- end }}
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
app.kubernetes.io/name: {{ (index .root.Values .key).name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- end }}

{{- define "etcd-operator.labels" -}}
{{ include "etcd-operator.selectorLabels" . }}
app.kubernetes.io/part-of: etcd-operator
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}
