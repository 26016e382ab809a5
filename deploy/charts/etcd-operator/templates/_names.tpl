{{/* What the objects of a release are called. */}}
{{- define "etcd-operator.fullname" -}}
{{- if contains .Values.etcdOperator.name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Values.etcdOperator.name | trunc 52 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "etcd-operator.serviceAccountName" -}}
{{- with .Values.serviceAccount.etcdOperatorServiceAccount }}
{{- if .create }}{{ default (include "etcd-operator.fullname" $) .name }}{{ else }}{{ default "default" .name }}{{ end }}
{{- end }}
{{- end }}

{{- define "etcd-operator.image" -}}
{{ .Values.etcdOperator.image.repository }}:{{ default (printf "v%s" .Chart.AppVersion) .Values.etcdOperator.image.tag }}
{{- end }}

{{- define "etcd-operator.selectorLabels" -}}
app.kubernetes.io/name: {{ .Values.etcdOperator.name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "etcd-operator.labels" -}}
{{ include "etcd-operator.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}
